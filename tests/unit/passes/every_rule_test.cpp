// Runs every rule of every registered set against its own left side: nobody
// writes a test for a new rule. The left side is built from the pattern for all
// dtypes of its variables, for several numbers, with literals as arguments and as
// tensors, with every overload, and commutative arguments in both orders. Where
// the rule fires, both graphs must give the same bits.
#include <gtest/gtest.h>

#include <algorithm>

#include "ops/op_table.h"
#include "passes/left_side.h"

namespace nfx {
namespace {

struct Outcome {
  size_t fired = 0;
  std::string failure;
};

std::string element(const TensorValue& tensor, size_t index) {
  return text({.dtype = tensor.dtype, .elements = {tensor.elements[index]}});
}

// Both graphs, and the first element that differs with what it comes from.
std::string describe(const LeftSide& before, const LeftSide& after, const TensorValue& expected,
                     const TensorValue& actual) {
  std::string message = print(*before.graph) + print(*after.graph);
  for (size_t i = 0; i < expected.elements.size(); ++i) {
    if (same(expected.elements[i], actual.elements[i])) continue;
    for (const TensorValue& input : before.inputs) message += "input " + element(input, i) + "\n";
    return message + "expected " + element(expected, i) + "\nactual " + element(actual, i);
  }
  return message + "another dtype or other sizes";
}

void check(const Rule& rule, const Choice& choice, Outcome& outcome) {
  const std::optional<LeftSide> before = left_side(rule.from, choice);
  if (!before) return;
  const std::optional<LeftSide> after = left_side(rule.from, choice);
  RuleSet alone("alone");
  Rule& copy = alone.rewrite(rule.from, rule.to, rule.condition);
  copy.draws_nothing = rule.draws_nothing;
  const RuleSet* const sets[] = {&alone};
  if (apply_rules(*after->graph, sets) == 0) return;
  const Status valid = verify(*after->graph);
  if (!valid) outcome.failure = valid.error().str() + print(*after->graph);
  const auto expected = GraphValues(*before->graph, before->inputs).outputs();
  if (expected.empty()) return;  // PyTorch refuses these dtypes
  ++outcome.fired;
  if (rule.reassociates) return;
  const auto actual = GraphValues(*after->graph, after->inputs).outputs();
  if (actual.empty()) {
    outcome.failure = "the right side has no value\n" + print(*after->graph);
  } else if (!same(expected[0], actual[0])) {
    outcome.failure = describe(*before, *after, expected[0], actual[0]);
  }
}

// An op that is known from its schema only, such as dropout, has no values here;
// tests/unit/passes/remove_noops_test.cpp runs those rules.
bool has_row(const Rule& rule) {
  return std::ranges::any_of(rule.from.op->targets,
                             [](std::string_view target) { return op_rows().contains(target); });
}

TEST(EveryRule, GivesTheBitsOfItsLeftSide) {
  size_t rules = 0, fired = 0;
  for (const RuleSet* set : all_rule_sets()) {
    for (const Rule& rule : set->rules()) {
      SCOPED_TRACE(rule.str());
      Outcome outcome;
      for (const Choice& choice : choices(rule.from)) {
        check(rule, choice, outcome);
        if (!outcome.failure.empty()) break;
      }
      EXPECT_TRUE(outcome.failure.empty()) << outcome.failure;
      EXPECT_EQ(outcome.fired > 0, has_row(rule)) << "fired on " << outcome.fired << " graphs";
      ++rules;
      fired += outcome.fired;
    }
  }
  RecordProperty("rules", static_cast<int>(rules));
  RecordProperty("fired", static_cast<int>(fired));
  std::printf("%zu rules fired on %zu graphs\n", rules, fired);
  EXPECT_GT(rules, 0u);
}

TEST(EveryRule, IsOffIfItReassociates) {
  for (const RuleSet* set : all_rule_sets()) {
    for (const Rule& rule : set->rules()) {
      if (!rule.reassociates) continue;
      SCOPED_TRACE(rule.str());
      RuleSet alone("alone");
      alone.rewrite(rule.from, rule.to, rule.condition).reassociates = true;
      const RuleSet* const sets[] = {&alone};
      size_t fired = 0;
      for (const Choice& choice : choices(rule.from)) {
        const std::optional<LeftSide> side = left_side(rule.from, choice);
        if (!side) continue;
        EXPECT_EQ(apply_rules(*side->graph, sets), 0u);
        fired += apply_rules(*side->graph, sets, {.reassociate = true});
      }
      EXPECT_GT(fired, 0u);
    }
  }
}

// The harness itself finds a rule that is wrong in one corner.
TEST(EveryRule, FindsAWrongRule) {
  const PatternOp add{"add", {"aten.add.Tensor"}};
  const Var x("x");
  RuleSet wrong("wrong");
  const Rule& rule = wrong.rewrite(add(x, 0), x);  // -0.0 + 0.0 is 0.0
  Outcome outcome;
  for (const Choice& choice : choices(rule.from)) {
    if (outcome.failure.empty()) check(rule, choice, outcome);
  }
  EXPECT_NE(outcome.failure.find("expected float32"), std::string::npos);
}

}  // namespace
}  // namespace nfx
