// In which orders the values of a graph are needed.
#pragma once
#include <optional>
#include <vector>

#include "ir/graph.h"

namespace nfx {

// A scatter: rows of its operand 0 are combined by the row numbers of operand 1.
bool is_scatter(Node node);

// The sorted order that a scatter wants: by an index, in so many rows.
struct EdgeOrder {
  Node index;
  SymExprId n;
  friend bool operator==(const EdgeOrder&, const EdgeOrder&) = default;
};

class EdgeDemand {
 public:
  explicit EdgeDemand(const Graph& graph);

  const std::vector<EdgeOrder>& orders() const { return orders_; }
  size_t order_of(Node scatter) const;
  // Operands by row, if the value can be computed in another order of rows from
  // those in that order. Nothing: it is read through the permutation.
  const std::optional<std::vector<bool>>& row_operands_of(Node node) const {
    static const std::optional<std::vector<bool>> kUnknown;  // of a node made since
    return node.id().value < facts_.size() ? facts_[node.id().value].rows : kUnknown;
  }

 private:
  struct Facts {
    std::vector<size_t> orders;
    bool in_place = false;  // needed in the order of the edges
    std::optional<std::vector<bool>> rows;
  };
  void visit(Node node);
  void visit_user(Node user, uint32_t operand, Facts& facts) const;

  const Graph& graph_;
  std::vector<EdgeOrder> orders_;
  std::vector<Facts> facts_;
};

}  // namespace nfx
