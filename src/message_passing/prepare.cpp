#include "message_passing/prepare.h"

#include "message_passing/move_dense.h"
#include "message_passing/recognize.h"
#include "passes/cse.h"
#include "passes/dce.h"

namespace nfx {
namespace {

bool switches_gradients(const Graph& graph) {
  for (const Node node : graph.nodes()) {
    if (node.target().find("set_grad_enabled") != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

Changed prepare_edges(Graph& graph) {
  if (recognize_edges(graph) == Changed::kNo) return Changed::kNo;
  if (switches_gradients(graph)) return Changed::kYes;
  cse(graph);
  if (move_dense(graph) == Changed::kYes) {
    dce(graph);
    cse(graph);
  }
  return Changed::kYes;
}

NFX_PASS(prepare_edges, "find message passing and move dense work to the nodes");

}  // namespace nfx
