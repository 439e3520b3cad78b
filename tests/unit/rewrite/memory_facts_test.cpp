#include "rewrite/memory_facts.h"

#include <gtest/gtest.h>

#include "ops/op_table.h"
#include "rewrite/effects.h"

namespace nfx {
namespace {

// A graph with the ops of PyTorch that have no row but a schema.
std::unique_ptr<Graph> graph_of(std::string_view body) {
  static const SchemaOpTable ops(
      {"aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
       "aten::bernoulli(Tensor self, *, Generator? generator=None) -> Tensor",
       "aten::_assert_async(Tensor self) -> ()",
       "aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)"});
  const std::string text = "graph @main {\n" + std::string(body) + "}";
  Result<std::unique_ptr<Graph>> graph = parse(text, std::make_shared<Context>(&ops));
  EXPECT_TRUE(graph) << (graph ? "" : graph.error().str());
  return graph ? std::move(*graph) : nullptr;
}

struct Case {
  const char* name;
  const char* body;  // may `n` be replaced by `w`?
  bool expected;
};

constexpr Case kCases[] = {
    {"Fresh", R"(%x = placeholder "x" : float32[4]
      %w = call aten.relu.default(%x) : float32[4]
      %n = call aten.clone.default(%w) : float32[4]
      %c = call aten.neg.default(%n) : float32[4]
      output((%c,)))",
     true},
    {"OutputByInput", R"(%w = placeholder "w" : float32[4]
      %n = call aten.clone.default(%w) : float32[4]
      output((%n,)))",
     false},
    {"ViewOfOutputByInput", R"(%w = placeholder "w" : float32[4]
      %n = call aten.clone.default(%w) : float32[4]
      %v = call aten.view.default(%n, [2, 2]) : float32[2, 2]
      output((%v,)))",
     false},
    {"OutputByAttribute", R"(%w = get_attr "w" : float32[4]
      %n = call aten.clone.default(%w) : float32[4]
      output((%n,)))",
     false},
    {"OutputByOutput", R"(%x = placeholder "x" : float32[4]
      %w = call aten.relu.default(%x) : float32[4]
      %n = call aten.clone.default(%w) : float32[4]
      output((%w, %n)))",
     false},
    {"OutputByFresh", R"(%x = placeholder "x" : float32[4]
      %w = call aten.relu.default(%x) : float32[4]
      %n = call aten.clone.default(%w) : float32[4]
      output((%n,)))",
     true},
    {"OutputByPartOfAStorage", R"(%x = placeholder "x" : float32[8]
      %a = call aten.relu.default(%x) : float32[8]
      %w = call aten.slice.Tensor(%a, 0, 0, 4) : float32[4]
      %n = call aten.clone.default(%w) : float32[4]
      output((%n,)))",
     false},
    {"AliasByItsInputInside", R"(%w = placeholder "w" : float32[4]
      %n = call aten.alias.default(%w) : float32[4]
      %c = call aten.neg.default(%n) : float32[4]
      output((%c,)))",
     true},
    {"ReturnedAliasByItsInput", R"(%w = placeholder "w" : float32[4]
      %n = call aten.alias.default(%w) : float32[4]
      output((%n,)))",
     false},
    {"WrittenBySchema", R"(%x = placeholder "x" : float32[4]
      %w = call aten.relu.default(%x) : float32[4]
      %n = call aten.clone.default(%w) : float32[4]
      %m = call aten.add_.Tensor(%n, %x) : float32[4]
      output((%m,)))",
     false},
    {"SourceWrittenThroughAView", R"(%x = placeholder "x" : float32[4]
      %w = call aten.relu.default(%x) : float32[4]
      %n = call aten.clone.default(%w) : float32[4]
      %v = call aten.view.default(%w, [2, 2]) : float32[2, 2]
      %m = call aten.add_.Tensor(%v, 1) : float32[2, 2]
      %c = call aten.neg.default(%n) : float32[4]
      output((%c,)))",
     false},
    {"WrittenAfterMayAlias", R"(%x = placeholder "x" : float32[4]
      %w = call aten.relu.default(%x) : float32[4]
      %n = call aten.clone.default(%w) : float32[4]
      %v = call aten.reshape.default(%n, [4]) : float32[4]
      %m = call aten.add_.Tensor(%v, 1) : float32[4]
      output((%m,)))",
     false},
    {"GivenToAnUnknownFunction", R"(%x = placeholder "x" : float32[4]
      %w = call aten.relu.default(%x) : float32[4]
      %n = call aten.clone.default(%w) : float32[4]
      %m = call my.function([%n]) : float32[4]
      output((%m,)))",
     false},
    {"GivenToAMethod", R"(%x = placeholder "x" : float32[4]
      %w = call aten.relu.default(%x) : float32[4]
      %n = call aten.clone.default(%w) : float32[4]
      %m = method "add_"(%n, 1)
      %c = call aten.neg.default(%n) : float32[4]
      output((%c,)))",
     false},
    {"SameAttributeWrittenByItsOtherName", R"(%w = get_attr "w" : float32[4]
      %n = get_attr "w" : float32[4]
      %m = call aten.add_.Tensor(%n, 1) : float32[4]
      %c = call aten.neg.default(%w) : float32[4]
      output((%c,)))",
     false},
    {"Numbers", R"(%w = placeholder "w" : sym(s0)
      %n = placeholder "n" : sym(s0)
      output((%w, %n)))",
     true},
};

class MayReplace : public testing::TestWithParam<Case> {};

TEST_P(MayReplace, AsSharingAllows) {
  const auto graph = graph_of(GetParam().body);
  MemoryFacts memory(*graph);
  EXPECT_EQ(memory.may_replace(graph->find("n"), graph->find("w")), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(Cases, MayReplace, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(MemoryFacts, FollowReplacements) {
  const auto graph = graph_of(R"(%x = placeholder "x" : float32[4]
      %a = call aten.relu.default(%x) : float32[4]
      %b = call aten.clone.default(%a) : float32[4]
      %c = call aten.clone.default(%a) : float32[4]
      output((%b, %c)))");
  MemoryFacts memory(*graph);
  const Node a = graph->find("a"), b = graph->find("b"), c = graph->find("c");
  ASSERT_TRUE(memory.may_replace(b, a));
  memory.replaced(b, a);
  EXPECT_FALSE(memory.may_replace(c, a));  // both outputs would be one tensor
}

TEST(IsPure, AsTraitsAndSchemasTell) {
  const auto graph = graph_of(R"(%x = placeholder "x" : float32[4]
      %pure = call aten.relu.default(%x) : float32[4]
      %attribute = get_attr "w" : float32[4]
      %write = call aten.add_.Tensor(%x, 1) : float32[4]
      %random = call aten.bernoulli.default(%x) : float32[4]
      %effect = call aten._assert_async.default(%x)
      %unknown = call my.function(%x) : float32[4]
      %method = method "relu"(%x) : float32[4]
      %pair = call my.pair(%x) : (float32[4], float32[4])
      %part = call operator.getitem(%pair, 0) : float32[4]
      %size = placeholder "size" : sym(s0)
      %twice = call operator.mul(%size, 2) : sym(2*s0)
      %item = call my.item(%x) : sym(u0)
      output((%x,)))");
  std::string pure;
  for (const Node node : graph->nodes()) {
    if (is_pure(node)) (pure += node.name()) += ' ';
  }
  EXPECT_EQ(pure, "pure attribute part twice ");
}

}  // namespace
}  // namespace nfx
