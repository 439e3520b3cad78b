// Who shares memory with whom, and whose memory leaves the graph.
#pragma once
#include <vector>

#include "compiler/runners.h"

namespace nfx {

class MemoryRoots {
 public:
  MemoryRoots(const Graph& graph, const ValueTable& values, const Runners& runners);

  // The value whose memory this one is a view of; itself if it is no view.
  ValueId root(ValueId value) const { return root_[value]; }
  // Roots that a result of PyTorch may share memory with.
  const std::vector<ValueId>& may_share(ValueId value) const { return may_share_[value]; }
  // Whether memory of this root is, or may be, seen after the run: by outputs,
  // or by Python code that a step calls.
  bool escapes(ValueId root) const { return escapes_[root]; }
  // Roots that a node writes to in place.
  std::vector<ValueId> written(Node node) const;
  // A number that is equal for all roots that may share memory.
  ValueId family(ValueId value) const;

 private:
  void visit(Node node);
  void share_operands(Node node, const std::vector<ValueId>& shared);
  void escape(ValueId value);

  const ValueTable& values_;
  const Runners& runners_;
  std::vector<ValueId> root_;
  std::vector<std::vector<ValueId>> may_share_;
  std::vector<bool> escapes_;
  mutable std::vector<ValueId> family_;
};

// The operand roots that the schema argument takes: one for a tensor, several
// for a list.
std::vector<ValueId> argument_values(const ValueTable& values, const Schema& schema, Node node,
                                     size_t position);

}  // namespace nfx
