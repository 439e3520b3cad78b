// Orders that dataflow does not show: a read before the write that destroys
// what it reads, a read after the write that makes it, random draws and effects
// among themselves.
#pragma once
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace nfx {

// Sets of values that share memory, as the schemas tell (a `may alias` counts).
class AliasSets {
 public:
  explicit AliasSets(const Graph& graph);
  NodeId root(Node node) const;
  NodeId root(NodeId id) const;

 private:
  std::vector<uint32_t> parent_;
};

// Operands of `node` whose memory it writes to.
std::vector<Node> written_operands(Node node);

// Pairs (earlier, later) in graph order; proportional to uses.
std::vector<std::pair<NodeId, NodeId>> hazards(const Graph& graph);

}  // namespace nfx
