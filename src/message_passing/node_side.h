// Which values of edges are values of nodes, gathered.
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "ir/graph.h"
#include "rewrite/memory_facts.h"

namespace nfx {

// Row e of a value is row index[e] of something that can be computed from tables.
struct NodeSide {
  Node index;
  SymExprId rows;  // of the tables
  friend bool operator==(const NodeSide&, const NodeSide&) = default;
};

// Keeps what it found by node; nodes that are added later are looked at when asked for.
class NodeSides {
 public:
  explicit NodeSides(Graph& graph) : graph_(graph), memory_(graph), first_new_(graph.id_limit()) {}

  // Nothing if the value depends on more than one index, or on none.
  std::optional<NodeSide> of(Node value);
  // The value before the gather, computed where the insertion point is. Nothing if
  // an argument names the number of edges in a way that cannot be changed.
  Node at_nodes(Node value);

 private:
  std::optional<NodeSide> find(Node value);
  std::optional<ArgId> arguments_at_nodes(Node value);

  Graph& graph_;
  MemoryFacts memory_;
  size_t first_new_;
  std::map<uint32_t, std::optional<NodeSide>> known_;
  std::map<uint32_t, Node> made_;
};

// A product of rows with a matrix: linear, or matmul and mm with a matrix.
struct RowProduct {
  Node rows, matrix, bias;     // bias may be none
  bool is_transposed = false;  // the matrix is [out, in]
};
std::optional<RowProduct> row_product(Node node);

}  // namespace nfx
