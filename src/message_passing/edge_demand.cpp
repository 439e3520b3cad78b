#include "message_passing/edge_demand.h"

#include <algorithm>

#include "message_passing/row_wise.h"
#include "ops/op_row.h"
#include "ops/type_rules.h"

namespace nfx {

bool is_scatter(Node node) {
  if (node.kind() != NodeKind::kCallFunction || !node.has(Trait::kScatter)) return false;
  return node.target().starts_with("mp.scatter_");
}

EdgeDemand::EdgeDemand(const Graph& graph) : graph_(graph), facts_(graph.id_limit()) {
  for (const Node node : graph.nodes()) {
    if (!is_scatter(node)) continue;
    const EdgeOrder order{node.operand(1), *sym_argument(node, argument(node, "n"))};
    if (std::find(orders_.begin(), orders_.end(), order) == orders_.end()) orders_.push_back(order);
  }
  if (orders_.empty()) return;
  for (Node node = graph.last(); node; node = node.prev()) visit(node);
  for (const Node node : graph.nodes()) {
    // A view of what is read through the order is read through it as well.
    const bool is_view = node.has(Trait::kView) && facts_[node.id().value].rows;
    if (is_view && !facts_[node.operand(0).id().value].rows) facts_[node.id().value].rows.reset();
  }
}

size_t EdgeDemand::order_of(Node scatter) const {
  const EdgeOrder order{scatter.operand(1), *sym_argument(scatter, argument(scatter, "n"))};
  return static_cast<size_t>(std::find(orders_.begin(), orders_.end(), order) - orders_.begin());
}

void EdgeDemand::visit_user(Node user, uint32_t operand, Facts& facts) const {
  const auto add = [&](size_t order) {
    if (std::find(facts.orders.begin(), facts.orders.end(), order) == facts.orders.end())
      facts.orders.push_back(order);
  };
  if (is_scatter(user) && operand == 0) return add(order_of(user));
  const Facts& theirs = facts_[user.id().value];
  if (theirs.rows && (*theirs.rows)[operand]) {
    for (const size_t order : theirs.orders) add(order);
    facts.in_place = facts.in_place || theirs.in_place;
  } else {
    facts.in_place = true;
  }
}

void EdgeDemand::visit(Node node) {
  Facts& facts = facts_[node.id().value];
  for (const Use use : graph_.uses(node)) visit_user(graph_.node(use.user), use.index, facts);
  if (facts.orders.empty()) return;
  const bool is_gather = node.target() == "mp.gather.default";
  if (is_gather) facts.rows = std::vector<bool>{false, true};
  if (!is_gather) facts.rows = row_operands(node);
  // A reduction is worth more than reading its result in another order.
  const OpRow* row = op_row(node);
  const bool is_fold = row != nullptr && row->fold;
  if (is_fold && (facts.orders.size() > 1 || facts.in_place)) facts.rows.reset();
  if (!facts.rows) facts.in_place = true;
}

}  // namespace nfx
