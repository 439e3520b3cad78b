#include "rewrite/driver.h"

#include <gtest/gtest.h>

#include "ops/op_table.h"
#include "rewrite/pattern_ops.h"

namespace nfx {
namespace {

std::unique_ptr<Graph> graph_of(std::string_view text) {
  static const SchemaOpTable ops;
  Result<std::unique_ptr<Graph>> graph = parse(text, std::make_shared<Context>(&ops));
  EXPECT_TRUE(graph) << (graph ? "" : graph.error().str());
  return graph ? std::move(*graph) : nullptr;
}

size_t apply(Graph& graph, const RuleSet& rules) {
  const RuleSet* const sets[] = {&rules};
  const size_t fired = apply_rules(graph, sets);
  const Status valid = verify(graph);
  EXPECT_TRUE(valid) << valid.error().str();
  return fired;
}

const Var x("x"), y("y");
const Number k("k");

TEST(Pattern, IsSpelledAsWritten) {
  using namespace pattern;  // NOLINT
  RuleSet rules("rules");
  const Rule& rule = rules.rewrite(x * 1 + -0.0, clamp(x, k, 0.5), is_integer("x"));
  EXPECT_EQ(rule.str(), "add(mul(x, 1), -0.0) => clamp(x, k, 0.5) if is_integer(x)");
  EXPECT_EQ((is_integer("x") || is_boolean("y")).text, "(is_integer(x) or is_boolean(y))");
}

TEST(Driver, AVariableStandsForOneValue) {
  const auto graph = graph_of(R"(graph @main {
    %x = placeholder "x" : float32[4]
    %y = placeholder "y" : float32[4]
    %a = call aten.maximum.default(%x, %x) : float32[4]
    %b = call aten.maximum.default(%x, %y) : float32[4]
    %c = call aten.mul.Tensor(%a, %b) : float32[4]
    output((%c,)) })");
  RuleSet rules("rules");
  rules.rewrite(pattern::maximum(x, x), x);
  EXPECT_EQ(apply(*graph, rules), 1u);
  EXPECT_FALSE(graph->find("a"));
  EXPECT_TRUE(graph->find("b"));
}

TEST(Driver, ArgumentsThatThePatternDoesNotNameHaveTheirDefaults) {
  const auto graph = graph_of(R"(graph @main {
    %i = placeholder "i" : int64[4]
    %a = call aten.add.Tensor(%i, 0, alpha=1) : int64[4]
    %b = call aten.sub.Tensor(%a, %a, alpha=2) : int64[4]
    %c = call aten.mul.Tensor(%b, %b) : int64[4]
    output((%c,)) })");
  RuleSet rules("rules");
  using namespace pattern;  // NOLINT
  rules.rewrite(x + 0, x);
  rules.rewrite(x - x, full_like(x, 0));
  EXPECT_EQ(apply(*graph, rules), 1u);
  EXPECT_TRUE(graph->find("b"));
}

TEST(Driver, LiteralsMatchTensorsThatHoldThemEverywhere) {
  const auto graph = graph_of(R"(graph @main {
    %x = placeholder "x" : float32[4]
    %one = call aten.ones.default([4]) : float32[4]
    %two = call aten.full.default([], 2.0) : float32[]
    %a = call aten.mul.Tensor(%one, %x) : float32[4]
    %b = call aten.mul.Tensor(%a, %two) : float32[4]
    output((%b,)) })");
  RuleSet rules("rules");
  using namespace pattern;  // NOLINT
  rules.rewrite(x * 1, x);
  EXPECT_EQ(apply(*graph, rules), 1u);
  EXPECT_FALSE(graph->find("one"));
  EXPECT_TRUE(graph->find("b"));
}

TEST(Driver, KeepsWhatOthersUseAndReusesWhatItMatched) {
  const auto graph = graph_of(R"(graph @main {
    %x = placeholder "x" : float32[4]
    %a = call aten.relu.default(%x) : float32[4]
    %b = call aten.relu.default(%a) : float32[4]
    %c = call aten.mul.Tensor(%a, %b) : float32[4]
    output((%c,)) })");
  RuleSet rules("rules");
  rules.rewrite(pattern::relu(pattern::relu(x)), pattern::relu(x));
  EXPECT_EQ(apply(*graph, rules), 1u);
  EXPECT_EQ(graph->size(), 4u);
  EXPECT_EQ(graph->find("c").operand(1), graph->find("a"));
}

TEST(Driver, DoesNotChangeTypes) {
  const auto graph = graph_of(R"(graph @main {
    %x = placeholder "x" : float32[4]
    %i = placeholder "i" : int64[4]
    %a = call aten.mul.Tensor(%i, 1.0) : float32[4]
    %one = call aten.ones.default([2, 4]) : float32[2, 4]
    %b = call aten.mul.Tensor(%x, %one) : float32[2, 4]
    %c = call aten.mul.Tensor(%a, %b) : float32[2, 4]
    output((%c,)) })");
  RuleSet rules("rules");
  using namespace pattern;  // NOLINT
  rules.rewrite(x * 1, x);
  EXPECT_EQ(apply(*graph, rules), 0u);
}

TEST(Driver, LeavesNothingBehindWhereARightSideDoesNotFit) {
  const auto graph = graph_of(R"(graph @main {
    %i = placeholder "i" : int64[4]
    %f = placeholder "f" : float32[4]
    %a = call aten.mul.Tensor(%i, %f) : float32[4]
    %b = call aten.neg.default(%a) : float32[4]
    output((%b,)) })");
  RuleSet rules("rules");
  using namespace pattern;           // NOLINT
  rules.rewrite(x * y, neg(x) * x);  // of int64
  const std::string before = print(*graph);
  EXPECT_EQ(apply(*graph, rules), 0u);
  EXPECT_EQ(print(*graph), before);
}

TEST(Driver, NewNodesTakeTheOriginOfWhatTheyReplace) {
  const auto graph = graph_of(R"(graph @main {
    %x = placeholder "x" : float32[4]
    %a = call aten.pow.Tensor_Scalar(%x, 2) : float32[4] meta(source "model.py:7", module "block.0")
    %b = call aten.neg.default(%a) : float32[4]
    output((%b,)) })");
  RuleSet rules("rules");
  using namespace pattern;  // NOLINT
  rules.rewrite(pow(x, 2), x * x);
  EXPECT_EQ(apply(*graph, rules), 1u);
  const Node made = graph->find("b").operand(0);
  EXPECT_EQ(made.target(), "aten.mul.Tensor");
  EXPECT_EQ(graph->context().text(graph->meta(made).source), "model.py:7");
  EXPECT_EQ(graph->context().text(graph->meta(made).module_path), "block.0");
}

// x + neg(y) and neg(neg(x)) feed each other along a chain; each is looked at again.
TEST(Driver, GoesOnUntilNothingFires) {
  std::string text = "graph @main {\n%n0 = placeholder \"x\" : float32[4]\n";
  constexpr int kLength = 1001;
  for (int i = 1; i <= kLength; ++i) {
    text += "%n" + std::to_string(i) + " = call aten.neg.default(%n" + std::to_string(i - 1) +
            ") : float32[4]\n";
  }
  const auto graph = graph_of(text + "output((%n1001,)) }");
  RuleSet rules("rules");
  rules.rewrite(pattern::neg(pattern::neg(x)), x);
  EXPECT_EQ(apply(*graph, rules), size_t{kLength / 2});
  EXPECT_EQ(graph->size(), 3u);
}

TEST(Driver, TracesToTheInnermostListener) {
  const auto graph = graph_of(R"(graph @main {
    %x = placeholder "x" : float32[4]
    %a = call aten.abs.default(%x) : float32[4]
    %b = call aten.abs.default(%a) : float32[4]
    output((%b,)) })");
  RuleSet rules("rules");
  rules.rewrite(pattern::abs(pattern::abs(x)), pattern::abs(x));
  std::vector<std::string> outer, inner;
  const RuleTrace first([&](const std::string& line) { outer.push_back(line); });
  {
    const RuleTrace second([&](const std::string& line) { inner.push_back(line); });
    apply(*graph, rules);
  }
  EXPECT_TRUE(outer.empty());
  EXPECT_EQ(inner, std::vector<std::string>{"rules: abs(abs(x)) => abs(x): %b becomes %a"});
}

}  // namespace
}  // namespace nfx
