#include "ir/argument_view.h"

#include <gtest/gtest.h>

#include "ir/graph.h"

namespace nfx {
namespace {

struct Ops : OpTable {
  const OpInfo* find(std::string_view name) const override {
    if (name == add.name) return &add;
    return name == max.name ? &max : nullptr;
  }
  Schema add_schema =
      parse_schema("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")
          .value();
  Schema max_schema =
      parse_schema("aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor, Tensor)")
          .value();
  OpInfo add{.name = "aten.add.Tensor", .schema = &add_schema};
  OpInfo max{.name = "aten.max.dim", .schema = &max_schema};
};

class ArgumentViewTest : public testing::Test {
 protected:
  Node read(std::string_view lines, std::string_view name) {
    const std::string text =
        "graph { %x = placeholder %y = placeholder " + std::string(lines) + " output() }";
    auto result = parse(text, context);
    EXPECT_TRUE(result.ok()) << result.error().str();
    graph = std::move(*result);
    return graph->find(name);
  }
  Ops ops;
  std::shared_ptr<Context> context = std::make_shared<Context>(&ops);
  std::unique_ptr<Graph> graph;
};

TEST_F(ArgumentViewTest, WalksNestedArguments) {
  const Node node = read("%c = call f([%x, 1], %y, k=(%x, (2.5, %y)))", "c");
  EXPECT_EQ(num_positional(node), 2u);
  EXPECT_EQ(positional(node, 0).child(0).node().name(), "x");
  EXPECT_EQ(positional(node, 0).child(1).as_int(), 1);
  EXPECT_EQ(positional(node, 1).node().name(), "y");
  const ArgumentView pair = keyword(node, "k").child(1);
  EXPECT_EQ(pair.child(0).as_number(), 2.5);
  EXPECT_EQ(pair.child(1).node().name(), "y");
  EXPECT_FALSE(keyword(node, "other"));
  EXPECT_FALSE(argument(node, "other"));
  EXPECT_EQ(keyword(node, "k").first_hole(), 2u);
}

TEST_F(ArgumentViewTest, FillsTheDefaultsOfTheSchema) {
  for (const char* call : {"call aten.add.Tensor(%x, %y)", "call aten.add.Tensor(%x, other=%y)",
                           "call aten.add.Tensor(%x, %y, alpha=1)"}) {
    const Node node = read(std::string("%c = ") + call, "c");
    EXPECT_EQ(argument(node, "other").node().name(), "y") << call;
    EXPECT_EQ(argument(node, "alpha").as_int(), 1) << call;
    EXPECT_EQ(argument(node, 2).as_int(), 1) << call;
    EXPECT_FALSE(argument(node, "beta")) << call;
  }
}

TEST_F(ArgumentViewTest, SeesThroughProjections) {
  const Node known = read("%m = call aten.max.dim(%x, 0) %c = call operator.getitem(%m, -1)", "c");
  EXPECT_EQ(value_of(known).node.name(), "m");
  EXPECT_EQ(value_of(known).index, 1);
  const Node typed =
      read("%m = call f(%x) : (int64[], int64[]) %c = call _operator.getitem(%m, 1)", "c");
  EXPECT_EQ(value_of(typed).index, 1);
}

TEST_F(ArgumentViewTest, AnElementOfATensorIsNoProjection) {
  for (const char* source : {"%m = call f(%x) : int64[4]", "%m = call f(%x)",
                             "%m = call f(%x) : (int64[],)", "%m = call aten.add.Tensor(%x, %y)"}) {
    const Node node = read(std::string(source) + " %c = call operator.getitem(%m, 2)", "c");
    EXPECT_EQ(value_of(node), NodeValue{node}) << source;
  }
}

}  // namespace
}  // namespace nfx
