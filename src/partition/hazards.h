// Orders that dataflow does not show: a read before the write that destroys
// what it reads, a read after the write that makes it, random draws and effects
// among themselves, and everything before and after a call that is made for what
// it does (a switch of grad mode).
#pragma once
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace nfx {

// Sets of values that share memory, as the schemas tell (a `may alias` counts).
class AliasSets {
 public:
  explicit AliasSets(const Graph& graph);
  NodeId root(Node node) const { return root(node.id()); }
  NodeId root(NodeId id) const { return NodeId{parent_[id.value]}; }

 private:
  uint32_t find(uint32_t id);
  void join(NodeId a, NodeId b);

  std::vector<uint32_t> parent_;
};

// Operands of `node` whose memory it writes to.
std::vector<Node> written_operands(Node node);

// By NodeId: calls of something unknown whose result reaches no value, so that
// they can only be there for their effect.
std::vector<bool> runs_for_effect(const Graph& graph);

// Pairs (earlier, later) in graph order; proportional to uses.
std::vector<std::pair<NodeId, NodeId>> hazards(const Graph& graph);

}  // namespace nfx
