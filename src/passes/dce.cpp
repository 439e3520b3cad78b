#include "passes/dce.h"

#include "rewrite/effects.h"

namespace nfx {

Changed dce(Graph& graph) {
  Changed changed = Changed::kNo;
  for (Node node = graph.last(); node;) {
    const Node previous = node.prev();
    if (!node.has_uses() && is_pure(node)) {
      graph.erase(node);
      changed = Changed::kYes;
    }
    node = previous;
  }
  return changed;
}

NFX_PASS(dce, "remove nodes that nobody uses and that have no effect");

}  // namespace nfx
