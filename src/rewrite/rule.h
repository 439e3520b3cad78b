// A rewrite rule is an equation, with the condition at the end:
//
//   rules.rewrite(neg(neg(x)),  x);
//   rules.rewrite(x + 0,        x,    is_integer("x"));   // -0.0 + 0.0 is 0.0
//
// A rule says that both sides are equal to the bit: signed zeros, NaN, infinity,
// overflow, promotion. It fires only where the type stays the same, nobody writes
// to what it looked at, and no output comes to share memory with an input or
// another output. tests/unit/passes runs every registered rule on values.
#pragma once
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rewrite/match.h"
#include "rewrite/pattern.h"

namespace nfx {

struct Condition {
  std::string text;  // "is_integer(x)"
  std::function<bool(const Match&)> test;
};
Condition operator&&(Condition a, Condition b);
Condition operator||(Condition a, Condition b);

// Of the dtype of a variable, or of a number argument.
Condition is_integer(std::string_view name);
Condition is_boolean(std::string_view name);
Condition is_floating_point(std::string_view name);
// Two variables of one dtype: nothing is promoted between them.
Condition same_dtype(std::string_view a, std::string_view b);

struct Rule {
  Pattern from;
  Pattern to;
  Condition condition;
  // Equal on real numbers, not to the bit on floats: off unless asked for.
  bool reassociates = false;
  // The left side is a random op that draws nothing where it matches.
  bool draws_nothing = false;

  std::string str() const;  // "add(x, 0) => x if is_integer(x)"
};

class RuleSet {
 public:
  explicit RuleSet(std::string_view name) : name_(name) {}

  Rule& rewrite(Pattern from, Pattern to, Condition condition = {});
  std::string_view name() const { return name_; }
  const std::deque<Rule>& rules() const { return rules_; }

 private:
  std::string_view name_;
  std::deque<Rule> rules_;
};

// Every rule set is registered, so that its rules are tested.
bool register_rules(const RuleSet& (*rules)());
std::vector<const RuleSet*> all_rule_sets();  // by name

}  // namespace nfx

#define NFX_RULES(function) \
  [[maybe_unused]] static const bool registered_##function = ::nfx::register_rules(&function)
