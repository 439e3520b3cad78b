#include "ir/graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>

#include "ir/argument_view.h"

namespace nfx {
namespace {

std::string error_of(const Status& status) { return status ? "" : status.error().str(); }

class GraphTest : public testing::Test {
 protected:
  Node input(std::string_view name) {
    return graph.add(NodeKind::kPlaceholder, name, context->call({}), {}, name);
  }
  Node relu(Node x) { return graph.call("aten.relu.default", {x}); }
  Node add(Node x, Node y) { return graph.call("aten.add.Tensor", {x, y}); }
  void output(Node x) {
    const ArgId hole[] = {context->hole()};
    const Node operands[] = {x};
    graph.add(NodeKind::kOutput, "output", context->call(hole), operands);
  }
  std::string order() const {
    std::string text;
    for (const Node node : graph.nodes()) text += std::string(node.name()) + " ";
    return text;
  }
  std::string users(Node node) const {
    std::string text;
    for (const Use use : graph.uses(node)) {
      text += std::string(graph.node(use.user).name()) + "." + std::to_string(use.index) + " ";
    }
    return text;
  }

  std::shared_ptr<Context> context = std::make_shared<Context>();
  Graph graph{context};
};

TEST_F(GraphTest, BuildsAndReads) {
  const Node x = input("x"), a = relu(x), b = add(a, x);
  output(b);
  EXPECT_EQ(order(), "x relu add output ");
  EXPECT_EQ(users(x), "relu.0 add.1 ");
  EXPECT_EQ(x.num_uses(), 2u);
  EXPECT_TRUE(a.has_one_use());
  EXPECT_FALSE(graph.output().has_uses());
  EXPECT_EQ(b.operand(1), x);
  EXPECT_EQ(graph.placeholders(), std::vector<Node>{x});
  EXPECT_TRUE(x.before(a) && a.before(b) && !b.before(a));
  EXPECT_EQ(graph.find("add"), b);
  EXPECT_FALSE(graph.find("sub"));
  EXPECT_EQ(error_of(verify(graph)), "");
}

TEST_F(GraphTest, NamesLikeFx) {
  const Node x = input("x");
  EXPECT_EQ(relu(x).name(), "relu");
  EXPECT_EQ(relu(x).name(), "relu_1");
  EXPECT_EQ(graph.call("aten.max.default", {x}).name(), "max_1");  // a builtin of Python
  EXPECT_EQ(graph.call("torch.fft.rfft", {x}).name(), "rfft");
  EXPECT_EQ(graph.add(NodeKind::kCallModule, "layers.0.BatchNorm", context->call({}), {}).name(),
            "layers_0_batch_norm");
  EXPECT_EQ(graph.add(NodeKind::kCallModule, "0", context->call({}), {}).name(), "_0");
  EXPECT_EQ(graph.add(NodeKind::kGetAttr, "w", context->call({}), {}, "relu_7").name(), "relu_7");
  EXPECT_EQ(graph.add(NodeKind::kGetAttr, "w", context->call({}), {}, "relu_7").name(), "relu_8");
  EXPECT_EQ(graph.add(NodeKind::kGetAttr, "w", context->call({}), {}, "a b%").name(), "a b%");
}

TEST_F(GraphTest, RenamesAndFreesNames) {
  const Node x = input("x"), a = relu(x), b = relu(x);
  graph.set_name(a, "relu");
  EXPECT_EQ(a.name(), "relu");
  graph.set_name(b, "relu");
  EXPECT_EQ(b.name(), "relu_2");
  graph.set_name(a, "first");
  EXPECT_FALSE(graph.find("relu"));
  EXPECT_EQ(graph.find("first"), a);
  graph.erase(b);
  EXPECT_FALSE(graph.find("relu_2"));
  EXPECT_EQ(relu(x).name(), "relu");
}

TEST_F(GraphTest, ReplacesUsesButNotThoseOfTheReplacement) {
  const Node x = input("x"), a = relu(x), b = add(a, a), c = add(a, b);
  output(c);
  graph.replace_all_uses(a, b);
  EXPECT_EQ(users(a), "add.0 add.1 ");
  EXPECT_EQ(users(b), "add_1.1 add_1.0 ");
  EXPECT_EQ(error_of(verify(graph)), "");
}

TEST_F(GraphTest, SetsOperandsAndArguments) {
  const Node x = input("x"), y = input("y"), a = add(x, y);
  output(a);
  graph.set_operand(a, 1, x);
  EXPECT_FALSE(y.has_uses());
  EXPECT_EQ(users(x), "add.0 add.1 ");
  const ArgId arguments[] = {context->hole(), context->hole(), context->hole()};
  const Node operands[] = {y, x, y};
  graph.set_arguments(a, context->call(arguments), operands);
  EXPECT_EQ(users(y), "add.0 add.2 ");
  EXPECT_EQ(error_of(verify(graph)), "");
  graph.set_arguments(a, context->call({}), {});
  EXPECT_FALSE(x.has_uses());
  EXPECT_EQ(error_of(verify(graph)), "");
}

TEST_F(GraphTest, IterationSurvivesErasingAnyNode) {
  const Node x = input("x"), a = relu(x), b = relu(x), c = relu(x);
  std::string seen;
  for (const Node node : graph.nodes()) {
    seen += std::string(node.name()) + " ";
    if (node == a) {
      graph.erase(b);
      graph.erase(a);
    }
  }
  EXPECT_EQ(seen, "x relu relu_2 ");
  EXPECT_EQ(graph.last(), c);
  EXPECT_EQ(graph.size(), 2u);
  EXPECT_EQ(graph.id_limit(), 5u);  // ids are not used again
}

TEST_F(GraphTest, IterationSurvivesMovingTheCurrentNode) {
  const Node x = input("x"), a = relu(x), b = relu(x), c = relu(x);
  int visited = 0;
  for (const Node node : graph.nodes()) {
    ++visited;
    if (node == a) graph.move_before(a, {});
    if (node == c) graph.move_before(c, b);
  }
  EXPECT_EQ(visited, 5);  // `relu` is met again at its new place
  EXPECT_EQ(order(), "x relu_2 relu_1 relu ");
}

TEST_F(GraphTest, UsesMayChangeWhileWalked) {
  const Node x = input("x"), y = input("y"), a = add(x, x);
  output(a);
  for (const Use use : graph.uses(x)) graph.set_operand(graph.node(use.user), use.index, y);
  EXPECT_FALSE(x.has_uses());
  EXPECT_EQ(y.num_uses(), 2u);
}

TEST_F(GraphTest, InsertsBeforeTheInsertionPoint) {
  const Node x = input("x"), a = relu(x);
  graph.set_insertion_point(a);
  const Node b = graph.call("aten.neg.default", {x});
  EXPECT_EQ(b.next(), a);
  graph.erase(a);  // the point moves behind it
  graph.call("aten.abs.default", {x});
  EXPECT_EQ(order(), "x neg abs_1 ");
}

TEST_F(GraphTest, OrdersUsers) {
  const Node x = input("x"), a = add(x, x), b = relu(x), c = relu(x);
  const Node wanted[] = {c, a, b};
  graph.order_users(x, wanted);
  EXPECT_EQ(users(x), "relu_1.0 add.0 add.1 relu.0 ");
  EXPECT_EQ(distinct_users(x), (std::vector<NodeId>{c.id(), a.id(), b.id()}));
}

TEST_F(GraphTest, MetaIsInherited) {
  const Node x = input("x"), a = relu(x), b = relu(x), c = relu(x);
  NodeMeta meta;
  meta.source = context->intern("model.py:41 in f");
  graph.set_meta(a, meta);
  graph.inherit_meta(b, a);
  graph.inherit_meta(c, b);
  EXPECT_FALSE(graph.meta(a).derived);
  EXPECT_TRUE(graph.meta(b).derived);
  EXPECT_EQ(graph.meta(c), graph.meta(b));
  EXPECT_EQ(graph.meta(c).source, meta.source);
  EXPECT_EQ(graph.meta(x), NodeMeta());
  EXPECT_EQ(node_place(c).file, "model.py:41 in f");
}

TEST_F(GraphTest, CloneIsCompactAndEqual) {
  const Node x = input("x"), a = relu(x), b = relu(x), c = add(b, x);
  output(c);
  graph.erase(a);
  const Node wanted[] = {c, b};
  graph.order_users(x, wanted);
  graph.attributes()["body"].subgraph = std::make_shared<Graph>(context, "body");
  const auto copy = graph.clone();
  std::string difference;
  EXPECT_TRUE(equal(graph, *copy, &difference)) << difference;
  EXPECT_EQ(copy->id_limit(), copy->size() + 1);
  EXPECT_NE(copy->attributes()["body"].subgraph, graph.attributes()["body"].subgraph);
  copy->set_name(copy->first(), "other");
  EXPECT_FALSE(equal(graph, *copy, &difference));
  EXPECT_EQ(difference, "%x = placeholder \"x\"\n%other = placeholder \"x\"");
}

// Order labels against a list, under insertions that crowd and moves.
TEST_F(GraphTest, OrderAgreesWithAList) {
  std::mt19937 random(7);
  std::vector<Node> all = {input("x")};
  std::list<NodeId> expected = {all[0].id()};
  const auto place = [&](Node node) { return std::ranges::find(expected, node.id()); };
  for (int i = 0; i < 3000; ++i) {
    // Mostly next to one node, so that its neighbourhood is relabelled often.
    const Node anchor = random() % 4 == 0 ? all[random() % all.size()] : all[0];
    if (random() % 3 == 0) {
      const Node moved = all[random() % all.size()];
      if (moved == anchor) continue;
      graph.move_before(moved, anchor);
      expected.erase(place(moved));
      expected.insert(place(anchor), moved.id());
    } else {
      graph.set_insertion_point(anchor);
      all.push_back(graph.add(NodeKind::kGetAttr, "w", context->call({}), {}));
      expected.insert(place(anchor), all.back().id());
    }
  }
  std::vector<NodeId> actual;
  for (const Node node : graph.nodes()) {
    actual.push_back(node.id());
    if (node.prev()) {
      EXPECT_TRUE(node.prev().before(node));
    }
  }
  EXPECT_TRUE(std::ranges::equal(actual, expected));
}

}  // namespace
}  // namespace nfx
