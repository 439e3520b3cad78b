// Where the further roots of a pattern with several results are looked for: among
// the users of what was matched already, so that the cost does not grow with the
// graph. Parts that nothing connects take the first nodes that are left.
#include <algorithm>

#include "rewrite/subgraph_match.h"

namespace nfx {
namespace {

// Nodes that are looked at for one further root.
constexpr size_t kMostCandidates = 256;

bool is_call(Node node) { return node.kind() != NodeKind::kPlaceholder; }

// A call above a root that is not matched, and an operand of it that is.
struct Step {
  Node call, operand;
};

Step step_towards(Node root, const SubgraphMatch& match) {
  Step best;
  std::vector<Node> open{root};
  while (!open.empty()) {
    const Node call = open.back();
    open.pop_back();
    for (uint32_t i = 0; i < call.num_operands(); ++i) {
      const Node operand = call.operand(i);
      if (match.node(operand)) {
        // A call has few users; an input of the graph may have thousands.
        if (!best.call || (is_call(operand) && !is_call(best.operand))) best = {call, operand};
      } else if (is_call(operand)) {
        open.push_back(operand);
      }
    }
  }
  return best;
}

}  // namespace

bool SubgraphMatcher::place_next_root(Node root) {
  const Step step = step_towards(root, match_);
  const Node pattern = step.call ? step.call : root;
  std::vector<Node> found =
      step.call ? candidates(pattern, match_.node(step.operand)) : unconnected(root);
  std::ranges::reverse(found);
  choices_.push_back({agenda_, bound_.size(), pattern, {}, std::move(found)});
  return resume();
}

std::vector<Node> SubgraphMatcher::candidates(Node pattern, Node from) {
  std::vector<Node> found;
  for (const Use use : match_.graph().uses(from)) {
    const Node user = match_.graph().node(use.user);
    if (user.id() >= first_new_ || !same_target(pattern, user)) continue;
    if (found.empty() || found.back() != user) found.push_back(user);
    if (found.size() == kMostCandidates) break;
  }
  return found;
}

std::vector<Node> SubgraphMatcher::unconnected(Node root) {
  Graph& graph = match_.graph();
  auto known = std::ranges::find(unconnected_, root, &Unconnected::root);
  if (known == unconnected_.end()) {
    Unconnected fresh{root, {}, 0};
    for (const Node node : graph.nodes()) {
      if (node.id() < first_new_ && same_target(root, node)) fresh.nodes.push_back(node.id());
    }
    known = unconnected_.insert(unconnected_.end(), std::move(fresh));
  }
  const auto erased = [&](size_t i) { return graph.table().records[known->nodes[i].value].erased; };
  while (known->first < known->nodes.size() && erased(known->first)) ++known->first;
  std::vector<Node> found;
  for (size_t i = known->first; i < known->nodes.size() && found.size() < kMostCandidates; ++i) {
    if (!erased(i)) found.push_back(graph.node(known->nodes[i]));
  }
  return found;
}

}  // namespace nfx
