#include "rewrite/rule_text.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace nfx {
namespace {

std::vector<const TextRuleSet& (*)()>& registry() {
  static std::vector<const TextRuleSet& (*)()> sets;
  return sets;
}

struct Sides {
  std::shared_ptr<Graph> pattern, replacement;
};

Result<Sides> parse_sides(const TextRule& rule, const std::shared_ptr<Context>& context) {
  NFX_ASSIGN(std::unique_ptr<Graph> pattern, parse(rule.pattern, context, rule.name));
  NFX_ASSIGN(std::unique_ptr<Graph> replacement, parse(rule.replacement, context, rule.name));
  return Sides{std::move(pattern), std::move(replacement)};
}

// Texts are read once for the process, in a Context of their own.
Result<Sides> sides_of(const TextRule& rule) {
  static std::mutex mutex;
  static auto* const context = new std::shared_ptr<Context>(std::make_shared<Context>());
  static auto* const known = new std::map<const TextRule*, Sides>;
  const std::lock_guard lock(mutex);
  const auto found = known->find(&rule);
  if (found != known->end()) return found->second;
  NFX_ASSIGN(Sides sides, parse_sides(rule, *context));
  known->emplace(&rule, sides);
  return sides;
}

bool may_occur(const Graph& pattern, const Context& context) {
  for (const Node node : pattern.nodes()) {
    if (node.kind() == NodeKind::kCallFunction && !context.find_text(node.target())) return false;
  }
  return true;
}

}  // namespace

bool register_text_rules(const TextRuleSet& (*rules)()) {
  registry().push_back(rules);
  return true;
}

std::vector<const TextRuleSet*> all_text_rules() {
  std::vector<const TextRuleSet*> sets;
  for (const auto rules : registry()) sets.push_back(&rules());
  std::ranges::sort(sets, {}, &TextRuleSet::name);
  return sets;
}

const TextRuleSet* find_text_rules(std::string_view name) {
  for (const TextRuleSet* set : all_text_rules()) {
    if (set->name == name) return set;
  }
  return nullptr;
}

Result<BoundRules> BoundRules::bind(const TextRuleSet& set, const Graph& graph) {
  BoundRules bound;
  for (const TextRule& rule : set.rules) {
    NFX_ASSIGN(const Sides sides, sides_of(rule));
    if (!may_occur(*sides.pattern, graph.context())) continue;
    bound.graphs_.push_back(copy_into(*sides.pattern, graph.context_ptr()));
    bound.graphs_.push_back(copy_into(*sides.replacement, graph.context_ptr()));
    bound.rules_.push_back({.name = std::string(rule.name),
                            .pattern = bound.graphs_.end()[-2].get(),
                            .replacement = bound.graphs_.back().get(),
                            .where = rule.where,
                            .compute = rule.compute});
  }
  return bound;
}

Result<size_t> apply_text_rules(Graph& graph, const TextRuleSet& set,
                                const SubgraphOptions& options) {
  NFX_ASSIGN(const BoundRules bound, BoundRules::bind(set, graph));
  return apply_subgraph_rules(graph, bound.rules(), options);
}

}  // namespace nfx
