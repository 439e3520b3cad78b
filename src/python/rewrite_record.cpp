#include "python/rewrite_record.h"

#include <algorithm>

namespace nfx::python {

void RewriteRecord::applied(const SubgraphRewrite& rewrite) {
  const SubgraphMatch& match = rewrite.match;
  if (keep_matches_) keep(match);
  for (const Node node : match.calls()) matched_.push_back(node.id());
  for (const Node node : rewrite.erased) matched_.push_back(node.id());
  for (const Node node : rewrite.moved) moved_.push_back(node.id());
  const std::vector<Node>& results = match.pattern().results();
  for (size_t i = 0; i < results.size(); ++i) {
    const Node replaced = match.node(results[i]);
    for (const Use use : match.graph().uses(replaced)) users_.push_back(use.user);
    if (std::ranges::find(rewrite.made, rewrite.with[i]) != rewrite.made.end()) {
      results_.emplace_back(rewrite.with[i].id(), replaced.id());
    }
  }
}

void RewriteRecord::keep(const SubgraphMatch& match) {
  Application& application = applications_.emplace_back();
  application.pattern = &match.pattern().graph();
  for (const Node node : application.pattern->nodes()) {
    if (node.kind() == NodeKind::kOutput) continue;
    Value value{node.id(), match.node(node).id(), {}, {}};
    if (const ArgumentView given = match.value(node); given && !value.node) {
      value.structure = given.id();
      for (uint32_t i = 0; i < given.arg().holes; ++i) {
        value.operands.push_back(given.owner().operand(given.first_hole() + i).id());
      }
    }
    if (value.node || value.structure) application.values.push_back(std::move(value));
  }
}

}  // namespace nfx::python
