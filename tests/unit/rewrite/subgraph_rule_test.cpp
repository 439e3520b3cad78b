#include "rewrite/subgraph_rule.h"

#include <gtest/gtest.h>

#include "ops/op_table.h"
#include "rewrite/driver.h"

namespace nfx {
namespace {

using GraphPtr = std::unique_ptr<Graph>;

GraphPtr graph_of(std::string_view text, std::shared_ptr<Context> context = nullptr) {
  static const SchemaOpTable ops(
      {"aten::add_.Tensor(Tensor(a!) self, Tensor other, *, "
       "Scalar alpha=1) -> Tensor(a!)"});
  if (context == nullptr) context = std::make_shared<Context>(&ops);
  Result<GraphPtr> graph = parse(text, std::move(context));
  EXPECT_TRUE(graph) << (graph ? "" : graph.error().str());
  return graph ? std::move(*graph) : nullptr;
}

size_t apply(Graph& graph, std::string_view pattern, std::string_view replacement) {
  const GraphPtr from = graph_of(pattern, graph.context_ptr());
  const GraphPtr to = graph_of(replacement, graph.context_ptr());
  const SubgraphRule rules[] = {{.name = "rule",
                                 .pattern = from.get(),
                                 .replacement = to.get(),
                                 .where = nullptr,
                                 .compute = nullptr}};
  const Result<size_t> applied = apply_subgraph_rules(graph, rules);
  EXPECT_TRUE(applied) << (applied ? "" : applied.error().str());
  const Status valid = verify(graph);
  EXPECT_TRUE(valid) << valid.error().str();
  return applied ? *applied : 0;
}

constexpr std::string_view kNegOfRelu = R"(graph @p {
  %x = placeholder "x"
  %r = call aten.relu.default(%x)
  %n = call aten.neg.default(%r)
  output(%n) })";
constexpr std::string_view kClamp = R"(graph @r {
  %x = placeholder "x"
  %c = call aten.clamp_max.default(%x, 0)
  output(%c) })";

TEST(SubgraphRule, TakesTheTypeAndThePlaceOfWhatItReplaces) {
  const GraphPtr graph = graph_of(R"(graph @main {
    %x = placeholder "x" : float32[4]
    %a = call aten.relu.default(%x) : float32[4]
    %b = call aten.neg.default(%a) : float32[4]
    %d = call aten.abs.default(%b) : float32[4]
    output((%d,)) })");
  EXPECT_EQ(apply(*graph, kNegOfRelu, kClamp), 1u);
  const Node made = graph->find("c");
  ASSERT_TRUE(made);
  EXPECT_EQ(made.type_id(), graph->find("x").type_id());
  EXPECT_EQ(graph->find("d").operand(0), made);
  EXPECT_FALSE(graph->find("a"));
}

TEST(SubgraphRule, StaysAwayFromWrites) {
  const auto count = [](std::string_view written) {
    const std::string text = R"(graph @main {
      %x = placeholder "x" : float32[4]
      %y = placeholder "y" : float32[4]
      %a = call aten.relu.default(%x) : float32[4]
      %w = call aten.add_.Tensor(%)" +
                             std::string(written) + R"(, 1) : float32[4]
      %b = call aten.neg.default(%a) : float32[4]
      output((%b, %w)) })";
    return apply(*graph_of(text), kNegOfRelu, kClamp);
  };
  EXPECT_EQ(count("x"), 0u);
  EXPECT_EQ(count("a"), 0u);
  EXPECT_EQ(count("y"), 1u);
}

constexpr std::string_view kTwo = R"(graph @p {
  %x = placeholder "x"
  %y = placeholder "y"
  %s = call aten.sin.default(%x)
  %c = call aten.cos.default(%y)
  output((%s, %c)) })";
constexpr std::string_view kSwapped = R"(graph @r {
  %x = placeholder "x"
  %y = placeholder "y"
  %t = call aten.tan.default(%x)
  %e = call aten.exp.default(%y)
  output((%t, %e)) })";

TEST(SubgraphRule, MovesUsersBehindAllThatItNeeds) {
  const GraphPtr graph = graph_of(R"(graph @main {
    %x = placeholder "x" : float32[4]
    %a = call aten.sin.default(%x) : float32[4]
    %early = call aten.neg.default(%a) : float32[4]
    %b = call aten.cos.default(%x) : float32[4]
    output((%early, %b)) })");
  EXPECT_EQ(apply(*graph, kTwo, kSwapped), 1u);
  EXPECT_TRUE(graph->find("e").before(graph->find("early")));
}

TEST(SubgraphRule, MakesNoCycle) {
  const GraphPtr graph = graph_of(R"(graph @main {
    %x = placeholder "x" : float32[4]
    %a = call aten.sin.default(%x) : float32[4]
    %n = call aten.neg.default(%a) : float32[4]
    %b = call aten.cos.default(%n) : float32[4]
    output((%b,)) })");
  EXPECT_EQ(apply(*graph, kTwo, kSwapped), 0u);
  EXPECT_TRUE(graph->find("a"));
}

TEST(SubgraphRule, TellsWhatItDid) {
  const GraphPtr graph = graph_of(R"(graph @main {
    %x = placeholder "x" : float32[4]
    %a = call aten.relu.default(%x) : float32[4]
    %b = call aten.neg.default(%a) : float32[4]
    output((%b,)) })");
  std::string told;
  const RuleTrace trace([&](const std::string& line) { told += line; });
  EXPECT_EQ(apply(*graph, kNegOfRelu, kClamp), 1u);
  EXPECT_EQ(told, "rule: %b becomes %c");
}

}  // namespace
}  // namespace nfx
