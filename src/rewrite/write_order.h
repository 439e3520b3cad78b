// Writes to memory between two places of a graph. What is computed before a write
// may not be computed behind it:
//
//   %a = aten.relu.default(%x)
//   %w = aten.add_.Tensor(%x, 1)
//   %b = aten.neg.default(%a)       neg(relu(x)) as one op would read the new %x
//
// A call of a function without schema writes if its name ends in one `_`, if it is
// an augmented assignment, or if it is told to by `inplace` or `out`. Its result
// may share the memory of any operand, unless it is an operator of arithmetic.
#pragma once
#include <functional>
#include <unordered_set>
#include <vector>

#include "ir/graph.h"

namespace nfx {

class WriteOrder {
 public:
  // `module_writes` tells of call_module nodes.
  WriteOrder(Graph& graph, std::function<bool(Node)> module_writes);

  bool any() const { return !writers_.empty(); }
  // Whether a node strictly between the two, and not in `inside`, writes to what
  // `inside` computes or reads.
  bool disturbs(const std::vector<Node>& inside, Node first, Node last) const;

  // To be told of every edit.
  void added(Node node);
  void erased(Node node);  // before it is

 private:
  using Memory = std::unordered_set<uint64_t>;

  bool writes(Node node) const;
  bool may_touch(Node writer, const Memory& memory) const;
  bool collect(Node node, Memory& memory) const;

  Graph& graph_;
  std::function<bool(Node)> module_writes_;
  std::vector<NodeId> writers_;  // in order
};

}  // namespace nfx
