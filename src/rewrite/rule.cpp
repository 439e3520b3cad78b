#include "rewrite/rule.h"

#include <algorithm>
#include <cassert>

namespace nfx {
namespace {

std::vector<const RuleSet& (*)()>& registry() {
  static std::vector<const RuleSet& (*)()> sets;
  return sets;
}

Condition about(std::string_view word, std::string_view name, bool (*test)(Dtype)) {
  return {std::string(word) + "(" + std::string(name) + ")", [name, test](const Match& match) {
            if (const Node node = match.value(name)) {
              return node.type().kind == TypeKind::kTensor && test(node.type().dtype);
            }
            switch (match.number(name).kind()) {
              case ArgKind::kInt: return test(Dtype::kInt64);
              case ArgKind::kFloat: return test(Dtype::kFloat64);
              default: return test(Dtype::kBool);
            }
          }};
}

}  // namespace

Condition operator&&(Condition a, Condition b) {
  return {a.text + " and " + b.text,
          [first = std::move(a.test), second = std::move(b.test)](const Match& match) {
            return first(match) && second(match);
          }};
}

Condition operator||(Condition a, Condition b) {
  return {"(" + a.text + " or " + b.text + ")",
          [first = std::move(a.test), second = std::move(b.test)](const Match& match) {
            return first(match) || second(match);
          }};
}

Condition is_integer(std::string_view name) { return about("is_integer", name, is_integral); }

Condition is_boolean(std::string_view name) {
  return about("is_boolean", name, [](Dtype dtype) { return dtype == Dtype::kBool; });
}

Condition is_floating_point(std::string_view name) {
  return about("is_floating_point", name, is_floating);
}

Condition same_dtype(std::string_view a, std::string_view b) {
  return {"same_dtype(" + std::string(a) + ", " + std::string(b) + ")",
          [a, b](const Match& match) { return match.dtype(a) == match.dtype(b); }};
}

std::string Rule::str() const {
  std::string text = from.str() + " => " + to.str();
  if (condition.test) text += " if " + condition.text;
  return text;
}

Rule& RuleSet::rewrite(Pattern from, Pattern to, Condition condition) {
  assert(from.kind == PatternKind::kCall && "a rule starts from a call");
  return rules_.emplace_back(Rule{std::move(from), std::move(to), std::move(condition)});
}

bool register_rules(const RuleSet& (*rules)()) {
  registry().push_back(rules);
  return true;
}

std::vector<const RuleSet*> all_rule_sets() {
  std::vector<const RuleSet*> sets;
  for (const auto rules : registry()) sets.push_back(&rules());
  std::ranges::sort(sets, {}, &RuleSet::name);
  return sets;
}

}  // namespace nfx
