#include "passes/dce.h"

namespace nfx {
namespace {

bool has_no_effect(Node node) {
  if (node.kind() == NodeKind::kGetAttr) return true;
  return node.has(Trait::kPure) || value_of(node).index >= 0;
}

}  // namespace

Changed dce(Graph& graph) {
  Changed changed = Changed::kNo;
  for (Node node = graph.last(); node;) {
    const Node previous = node.prev();
    if (!node.has_uses() && has_no_effect(node)) {
      graph.erase(node);
      changed = Changed::kYes;
    }
    node = previous;
  }
  return changed;
}

NFX_PASS(dce, "remove nodes that nobody uses and that have no effect");

}  // namespace nfx
