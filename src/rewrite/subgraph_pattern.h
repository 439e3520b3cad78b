// Patterns that are graphs: what a function traced with torch.fx, or a text, shows.
//
//   graph @rms {                                   %x, %eps: anything, also a constant
//     %x = placeholder "x"                         %square .. %scale: as spelled
//     %eps = placeholder "eps"                     output: what may be used outside
//     %square = call aten.pow.Tensor_Scalar(%x, 2)
//     ...
//     output(%scale)
//   }
//
// A placeholder stands for any argument: a node, a number, a list of nodes; twice
// for the same one. A constant stands for itself, to the bit. An argument that a
// schema gives a default may be spelled or not. Nodes that the pattern does not
// return are used by nothing but the match.
#pragma once
#include <memory>
#include <vector>

#include "ir/graph.h"
#include "support/result.h"

namespace nfx {

class SubgraphPattern {
 public:
  // The graph must outlive the pattern, and share the Context of what is searched.
  // Errors: `empty-pattern` (it returns no call), `dead-pattern-node`.
  static Result<SubgraphPattern> make(Graph& graph);

  Graph& graph() const { return *graph_; }
  // Returned calls that no other call of the pattern uses; a search starts from the first.
  const std::vector<Node>& roots() const { return roots_; }
  // Returned nodes in order.
  const std::vector<Node>& results() const { return results_; }
  bool returns(Node node) const { return is_returned_[node.id().value]; }
  size_t num_calls() const { return num_calls_; }

 private:
  Graph* graph_ = nullptr;
  std::vector<Node> roots_;
  std::vector<Node> results_;
  std::vector<bool> is_returned_;  // by NodeId
  size_t num_calls_ = 0;
};

// What a graph returns, from left to right.
std::vector<Node> results_of(const Graph& graph);

// The same graph in another Context, without types and meta. It must hold no
// object of Python.
std::unique_ptr<Graph> copy_into(const Graph& graph, std::shared_ptr<Context> context);

}  // namespace nfx
