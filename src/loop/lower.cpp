#include "loop/lower.h"

#include <algorithm>
#include <map>

#include "expr/expr_math.h"
#include "loop/lowering.h"

namespace nfx {
namespace {

bool in_group(const Grouping& grouping, Node node, int32_t group) {
  return grouping.group_of(node) == group;
}

bool is_member(const Grouping& grouping, Node node) {
  const Group& group = grouping.groups()[static_cast<size_t>(grouping.group_of(node))];
  return std::find(group.members.begin(), group.members.end(), node.id()) != group.members.end();
}

// Whether a value, or a view of it inside the group, is used outside.
bool leaves_group(const Graph& graph, const Grouping& grouping, Node value, int32_t group,
                  bool skip_projections) {
  for (const Use use : graph.uses(value)) {
    const Node user = graph.node(use.user);
    if (!in_group(grouping, user, group)) return true;
    if (is_member(grouping, user)) continue;
    if (skip_projections && value_of(user).index >= 0) continue;
    if (leaves_group(graph, grouping, user, group, false)) return true;
  }
  return false;
}

void add_stored(const Graph& graph, const Grouping& grouping, Node node, int32_t group,
                std::vector<KernelOperand>& stored) {
  if (node.type().kind == TypeKind::kTensor) {
    if (leaves_group(graph, grouping, node, group, false)) stored.push_back({node, -1});
    return;
  }
  const bool whole = leaves_group(graph, grouping, node, group, true);
  std::vector<bool> needed(node.type().elements.size(), whole);
  for (const Use use : graph.uses(node)) {
    const Node user = graph.node(use.user);
    const int32_t index = value_of(user).index;
    if (index >= 0 && leaves_group(graph, grouping, user, group, false))
      needed[static_cast<size_t>(index)] = true;
  }
  for (size_t i = 0; i < needed.size(); ++i) {
    if (needed[i]) stored.push_back({node, static_cast<int32_t>(i)});
  }
}

std::string kernel_name(const Graph& graph, const std::vector<NodeId>& members) {
  std::string name = "fused";
  for (NodeId id : members) {
    std::string_view op = graph.node(id).target();
    if (const size_t dot = op.find('.'); dot != std::string_view::npos) op.remove_prefix(dot + 1);
    name += '_';
    name += op.substr(0, op.find('.'));
    if (name.size() > 60) break;
  }
  return name;
}

}  // namespace

std::vector<KernelOperand> stored_values(const Graph& graph, const Grouping& grouping,
                                         int32_t group) {
  std::vector<NodeId> members = grouping.groups()[static_cast<size_t>(group)].members;
  std::sort(members.begin(), members.end(),
            [&](NodeId a, NodeId b) { return graph.node(a).before(graph.node(b)); });
  std::vector<KernelOperand> stored;
  for (NodeId id : members) add_stored(graph, grouping, graph.node(id), group, stored);
  return stored;
}

Result<FusedKernel> lower(const Graph& graph, const Grouping& grouping, int32_t group) {
  Lowering lowering(graph, grouping, group);
  NFX_TRY(lowering.run(stored_values(graph, grouping, group)));
  FusedKernel fused = std::move(lowering).take();
  std::vector<NodeId> members;
  for (Node op : fused.ops) members.push_back(op.id());
  fused.kernel.name = kernel_name(graph, members);
  return fused;
}

}  // namespace nfx
