#include "loop/fuse.h"

#include <algorithm>

#include "loop/eligible.h"
#include "loop/group.h"
#include "loop/lower.h"
#include "loop/normaliser.h"

namespace nfx {
namespace {

// Whether an inline value (or a view of one) is needed in memory: by something that is
// no kernel, or because it leaves the graph.
bool needed_in_memory(const Graph& graph, const Grouping& grouping, Node value) {
  for (const Use use : graph.uses(value)) {
    const Node user = graph.node(use.user);
    if (grouping.group_of(user) >= 0) continue;
    if (!grouping.is_inline(user) || needed_in_memory(graph, grouping, user)) return true;
  }
  return false;
}

void materialise_inline(const Graph& graph, Grouping& grouping) {
  for (const Node node : graph.nodes()) {
    if (!grouping.is_inline(node) || node.has(Trait::kView)) continue;
    if (grouping.group_of(node) >= 0) continue;  // it was kept from a write
    if (needed_in_memory(graph, grouping, node)) grouping.materialise(node);
  }
}

Fusion::Choice choice_of(const Grouping& grouping, Node node, const Eligibility& eligibility,
                         const std::vector<int32_t>& kernel_of_group) {
  Fusion::Choice choice;
  choice.level = grouping.level(node);
  choice.reason = eligibility.reason;
  const int32_t group = grouping.group_of(node);
  if (eligibility.role == FuseRole::kView) {
    choice.disposition = Disposition::kView;
  } else if (group >= 0) {
    choice.kernel = kernel_of_group[static_cast<size_t>(group)];
    choice.disposition = choice.kernel >= 0 ? Disposition::kKernel : Disposition::kUnused;
  } else if (grouping.is_inline(node)) {
    choice.disposition = Disposition::kUnused;
  }
  return choice;
}

}  // namespace

Result<Fusion> fuse(const Graph& graph, const FuseOptions& options) {
  Grouping grouping(graph);
  std::vector<Eligibility> eligible(graph.id_limit());
  for (const Node node : graph.nodes()) {
    Eligibility& verdict = eligible[node.id().value];
    verdict = eligibility(node);
    if (verdict.role != FuseRole::kNone && verdict.role != FuseRole::kProjection && options.allow &&
        !options.allow(node)) {
      verdict = {FuseRole::kNone, "it was claimed by another backend"};
    }
    grouping.visit(node, verdict);
  }
  materialise_inline(graph, grouping);

  Fusion fusion;
  std::vector<int32_t> kernel_of_group(grouping.groups().size(), -1);
  for (size_t g = 0; g < grouping.groups().size(); ++g) {
    if (stored_values(graph, grouping, static_cast<int32_t>(g)).empty()) continue;
    NFX_ASSIGN(FusedKernel kernel, lower(graph, grouping, static_cast<int32_t>(g)));
    divide_sums_last(kernel.kernel);
    coalesce(graph.context(), kernel);
    kernel_of_group[g] = static_cast<int32_t>(fusion.kernels.size());
    fusion.kernels.push_back(std::move(kernel));
  }
  fusion.choices.resize(graph.id_limit());
  for (const Node node : graph.nodes()) {
    fusion.choices[node.id().value] =
        choice_of(grouping, node, eligible[node.id().value], kernel_of_group);
  }
  return fusion;
}

}  // namespace nfx
