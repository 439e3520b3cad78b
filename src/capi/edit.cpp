#include <vector>

#include "capi/edit_rules.h"

namespace nfx::capi {
namespace {

Status check_replacement(const Graph& graph, Node node, Node with) {
  for (const Use use : graph.uses(node)) {
    if (use.user != with.id()) NFX_TRY(check_use(graph.node(use.user), with));
  }
  return success();
}

Status check_move(const Graph& graph, Node node, Node other) {
  std::vector<Node> operands;
  for (uint32_t i = 0; i < node.num_operands(); ++i) operands.push_back(node.operand(i));
  NFX_TRY(check_place(node.kind(), operands, other));
  for (const Use use : graph.uses(node)) {
    const Node user = graph.node(use.user);
    if (user != other) NFX_TRY(check_use(user, other));
  }
  return success();
}

nfx_status finish(const Status& status, nfx_diagnostic** diagnostic) {
  return status ? NFX_OK : fail(NFX_INVALID, diagnostic, status.error());
}

}  // namespace
}  // namespace nfx::capi

using namespace nfx::capi;

nfx_status nfx_node_set_operand(nfx_graph* graph, nfx_node node, size_t index, nfx_node value,
                                nfx_diagnostic** diagnostic) {
  clear(diagnostic);
  return guarded([&]() -> nfx_status {
    if (graph == nullptr || !is_node(*graph->graph, node) || !is_node(*graph->graph, value))
      return NFX_BAD_ARGUMENT;
    const nfx::Node user = node_of(*graph->graph, node);
    const nfx::Node operand = node_of(*graph->graph, value);
    if (index >= user.num_operands()) return NFX_OUT_OF_RANGE;
    const nfx::Status allowed = check_use(user, operand);
    if (allowed) graph->graph->set_operand(user, static_cast<uint32_t>(index), operand);
    return finish(allowed, diagnostic);
  });
}

nfx_status nfx_node_set_type(nfx_graph* graph, nfx_node node, nfx_type type) {
  return guarded([&]() -> nfx_status {
    if (graph == nullptr || !is_node(*graph->graph, node) || !is_type(*graph->graph, type))
      return NFX_BAD_ARGUMENT;
    graph->graph->set_type(node_of(*graph->graph, node), nfx::TypeId{type});
    return NFX_OK;
  });
}

nfx_status nfx_node_set_name(nfx_graph* graph, nfx_node node, nfx_string name) {
  return guarded([&]() -> nfx_status {
    if (graph == nullptr || !is_node(*graph->graph, node) || !readable(name) || name.size == 0)
      return NFX_BAD_ARGUMENT;
    graph->graph->set_name(node_of(*graph->graph, node), take(name));
    return NFX_OK;
  });
}

nfx_status nfx_node_replace_uses(nfx_graph* graph, nfx_node node, nfx_node with,
                                 nfx_diagnostic** diagnostic) {
  clear(diagnostic);
  return guarded([&]() -> nfx_status {
    if (graph == nullptr || !is_node(*graph->graph, node) || !is_node(*graph->graph, with))
      return NFX_BAD_ARGUMENT;
    if (node == with) return NFX_OK;
    nfx::Graph& target = *graph->graph;
    const nfx::Status allowed =
        check_replacement(target, node_of(target, node), node_of(target, with));
    if (allowed) target.replace_all_uses(node_of(target, node), node_of(target, with));
    return finish(allowed, diagnostic);
  });
}

nfx_status nfx_node_move_before(nfx_graph* graph, nfx_node node, nfx_node other,
                                nfx_diagnostic** diagnostic) {
  clear(diagnostic);
  return guarded([&]() -> nfx_status {
    if (graph == nullptr || !is_node(*graph->graph, node) || !is_node(*graph->graph, other))
      return NFX_BAD_ARGUMENT;
    nfx::Graph& target = *graph->graph;
    const nfx::Node moved = node_of(target, node), place = node_of(target, other);
    if (moved == place || moved.next() == place) return NFX_OK;
    const nfx::Status allowed = check_move(target, moved, place);
    if (allowed) target.move_before(moved, place);
    return finish(allowed, diagnostic);
  });
}

nfx_status nfx_node_erase(nfx_graph* graph, nfx_node node, nfx_diagnostic** diagnostic) {
  clear(diagnostic);
  return guarded([&]() -> nfx_status {
    if (graph == nullptr || !is_node(*graph->graph, node)) return NFX_BAD_ARGUMENT;
    const nfx::Node erased = node_of(*graph->graph, node);
    const nfx::Status allowed = check_unused(erased);
    if (allowed) graph->graph->erase(erased);
    return finish(allowed, diagnostic);
  });
}
