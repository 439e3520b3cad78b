#include "passes/simplify_rules.h"
#include "rewrite/pattern_ops.h"

namespace nfx {
namespace {

using namespace pattern;  // NOLINT: the words of this file

const Var x("x"), y("y"), c("c");

void add_choices(RuleSet& rules) {
  rules.rewrite(where(c, x, x), x);
  rules.rewrite(where(1, x, y), x);
  rules.rewrite(where(0, x, y), y);
  rules.rewrite(where(logical_not(c), x, y), where(c, y, x), is_boolean("c"));
  rules.rewrite(where(c, where(c, x, y), y), where(c, x, y));
  rules.rewrite(where(c, x, where(c, x, y)), where(c, x, y));
}

void add_negations(RuleSet& rules) {
  rules.rewrite(logical_not(logical_not(x)), x, is_boolean("x"));
  rules.rewrite(bitwise_not(bitwise_not(x)), x);
  rules.rewrite(logical_not(eq(x, y)), ne(x, y));
  rules.rewrite(logical_not(ne(x, y)), eq(x, y));
  // NaN is neither less nor greater.
  const Condition integers = is_integer("x") && is_integer("y");
  rules.rewrite(logical_not(lt(x, y)), ge(x, y), integers);
  rules.rewrite(logical_not(le(x, y)), gt(x, y), integers);
  rules.rewrite(logical_not(gt(x, y)), le(x, y), integers);
  rules.rewrite(logical_not(ge(x, y)), lt(x, y), integers);
}

void add_lattice(RuleSet& rules) {
  rules.rewrite(logical_and(x, x), x, is_boolean("x"));
  rules.rewrite(logical_or(x, x), x, is_boolean("x"));
  rules.rewrite(logical_and(x, 1), x, is_boolean("x"));
  rules.rewrite(logical_or(x, 0), x, is_boolean("x"));
  const Condition bits = is_integer("x") || is_boolean("x");
  rules.rewrite(bitwise_and(x, x), x, bits);
  rules.rewrite(bitwise_or(x, x), x, bits);
  rules.rewrite(bitwise_or(x, 0), x, bits);
  rules.rewrite(bitwise_xor(x, 0), x, bits);
  rules.rewrite(bitwise_xor(x, x), full_like(x, 0), bits);
  rules.rewrite(bitwise_and(x, 0), full_like(x, 0), bits);
}

RuleSet make() {
  RuleSet rules("simplify_logic");
  add_choices(rules);
  add_negations(rules);
  add_lattice(rules);
  return rules;
}

}  // namespace

const RuleSet& simplify_logic() {
  static const RuleSet rules = make();
  return rules;
}

NFX_RULES(simplify_logic);

}  // namespace nfx
