// Composites give what they stand for: the same types, and the right numbers.
#include <cmath>

#include "ops/op_case.h"

namespace nfx::testing {
namespace {

class Expansions : public OpCase {
 protected:
  // The results of expanding `node`, each of the type that its row or tuple says.
  std::vector<Node> expand(Node node) {
    graph.set_insertion_point(node);
    const Result<std::vector<Node>> results = op_row(node)->expand(graph, node);
    graph.set_insertion_point({});
    EXPECT_TRUE(results) << (results ? "" : results.error().str());
    if (!results) return {};
    if (op_row(node)->type) {
      const Result<TypeId> type = op_row(node)->type(node);
      EXPECT_EQ(type_text(results->at(0)), type_text(*type)) << node.target();
    }
    return *results;
  }
  void expect_near(Node node, const Numbers& expected) {
    const Numbers got = numbers(node);
    ASSERT_EQ(got.size(), expected.size());
    for (size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], expected[k], 1e-5) << k;
  }
  Node x = floats({2, 2}, {0, std::log(3.0), 1, 1});
};

TEST_F(Expansions, Softmax) {
  expect_near(expand(call("_softmax.default", {x, i(-1), b(false)}))[0], {0.25, 0.75, 0.5, 0.5});
  const double half = std::log(0.5);
  expect_near(expand(call("_log_softmax.default", {x, i(1), b(false)}))[0],
              {std::log(0.25), std::log(0.75), half, half});
  expect_near(expand(call("logsumexp.default", {x, list({1})}))[0],
              {std::log(4.0), 1 + std::log(2.0)});
  const Node infinite = floats({1, 2}, {-INFINITY, -INFINITY});
  EXPECT_EQ(numbers(expand(call("logsumexp.default", {infinite, list({1})}))[0])[0], -INFINITY);
}

TEST_F(Expansions, SoftmaxBackward) {
  const Node y = floats({1, 2}, {0.25, 0.75}), grad = floats({1, 2}, {1, 3});
  const ArgId dtype = context->intern(Arg{.kind = ArgKind::kDtype, .dtype = Dtype::kFloat32});
  expect_near(expand(call("_softmax_backward_data.default", {grad, y, i(1), dtype}))[0],
              {(1 - 2.5) * 0.25, (3 - 2.5) * 0.75});
  const Node logs = floats({1, 2}, {std::log(0.25), std::log(0.75)});
  expect_near(expand(call("_log_softmax_backward_data.default", {grad, logs, i(1), dtype}))[0],
              {1 - 1.0, 3 - 3.0});
}

TEST_F(Expansions, LayerNorm) {
  const Node in = floats({2, 2}, {1, 3, 2, 6});
  const Node weight = floats({2}, {2, 1}), bias = floats({2}, {0, 1});
  const auto results =
      expand(call("native_layer_norm.default", {in, list({2}), weight, bias, f(0)}));
  expect_near(results[0], {-2, 2, -2, 2});
  expect_near(results[1], {2, 4});
  expect_near(results[2], {1, 0.5});
  EXPECT_EQ(type_text(results[1]), "float32[2, 1](1, 1)");
}

TEST_F(Expansions, LayerNormBackwardAgreesWithDifferences) {
  const Numbers at{1, 3, 2, 6, -1, 0.5}, weights{2, 1, -1}, grads{1, 0.5, -2, 0.25, 3, 1};
  auto loss = [&](const Numbers& values) {
    double total = 0;
    for (size_t row = 0; row < 2; ++row) {
      double mean = 0, variance = 0;
      for (size_t c = 0; c < 3; ++c) mean += values[row * 3 + c] / 3;
      for (size_t c = 0; c < 3; ++c) variance += std::pow(values[row * 3 + c] - mean, 2) / 3;
      for (size_t c = 0; c < 3; ++c) {
        total +=
            grads[row * 3 + c] * weights[c] * (values[row * 3 + c] - mean) / std::sqrt(variance);
      }
    }
    return total;
  };
  const Node in = input(Dtype::kFloat64, {2, 3}, at), grad = input(Dtype::kFloat64, {2, 3}, grads);
  const Node weight = input(Dtype::kFloat64, {3}, weights);
  const auto forward =
      expand(call("native_layer_norm.default", {in, list({3}), weight, none(), f(0)}));
  const ArgId all[] = {b(true), b(true), b(true)};
  const ArgId mask = context->sequence(ArgKind::kList, all);
  const auto results =
      expand(call("native_layer_norm_backward.default",
                  {grad, in, list({3}), forward[1], forward[2], weight, none(), mask}));
  Numbers expected;
  for (size_t k = 0; k < at.size(); ++k) {
    Numbers up = at, down = at;
    up[k] += 1e-5, down[k] -= 1e-5;
    expected.push_back((loss(up) - loss(down)) / 2e-5);
  }
  expect_near(results[0], expected);
  expect_near(results[2], {1.25, 3.5, -1});
  EXPECT_EQ(type_text(results[1]), "float64[3](1)");
}

TEST_F(Expansions, RmsNorm) {
  const Node in = floats({1, 2}, {3, 4});
  const auto results = expand(call("_fused_rms_norm.default", {in, list({2}), none(), f(0)}));
  const double r = 1 / std::sqrt(12.5);
  expect_near(results[0], {3 * r, 4 * r});
  expect_near(results[1], {r});
}

TEST_F(Expansions, GroupNorm) {
  const Node in = floats({1, 2, 2}, {1, 3, 2, 6}), weight = floats({2}, {1, 2});
  const auto results =
      expand(call("native_group_norm.default", {in, weight, none(), i(1), i(2), i(2), i(2), f(0)}));
  expect_near(results[0], {-1, 1, -2, 2});
  EXPECT_EQ(type_text(results[1]), "float32[1, 2](2, 1)");
}

TEST_F(Expansions, Variance) {
  const Node in = floats({2, 2}, {1, 3, 2, 6});
  expect_near(expand(call("var.correction", {in, list({1})}))[0], {2, 8});
  expect_near(expand(call("std.correction", {in, list({1})}))[0], {std::sqrt(2), std::sqrt(8)});
  const auto both = expand(call("var_mean.correction", {in, list({1})}));
  expect_near(both[1], {2, 4});
  EXPECT_TRUE(
      std::isnan(numbers(expand(call("var.correction", {floats({1}, {5}), list({0})}))[0])[0]));
}

TEST_F(Expansions, Losses) {
  const Node a = floats({2}, {1, 4}), target = floats({2}, {0, 2});
  expect_near(expand(call("mse_loss.default", {a, target, i(1)}))[0], {2.5});
  expect_near(expand(call("mse_loss.default", {a, target, i(0)}))[0], {1, 4});
  expect_near(expand(call("mse_loss_backward.default", {floats({}, {1}), a, target, i(1)}))[0],
              {1, 2});
}

TEST_F(Expansions, NegativeLogLikelihood) {
  const Node scores = floats({3, 2}, {-1, -2, -3, -4, -5, -6});
  const Node target = integers({3}, {1, 0, -100});
  auto mean = expand(call("nll_loss_forward.default", {scores, target, none(), i(1), i(-100)}));
  expect_near(mean[0], {2.5});
  expect_near(mean[1], {2});
  const Node weight = floats({2}, {3, 1});
  auto sum = expand(call("nll_loss_forward.default", {scores, target, weight, i(2), i(-100)}));
  expect_near(sum[0], {2 + 9});
  const Node grad = call("nll_loss_backward.default",
                         {floats({}, {1}), scores, target, weight, i(1), i(-100), floats({}, {4})});
  expect_near(grad, {0, -0.25, -0.75, 0, 0, 0});
}

TEST_F(Expansions, SplitsAreSlices) {
  const Node in = floats({5}, {1, 2, 3, 4, 5});
  const Node node = call("split.Tensor", {in, i(2)});
  std::vector<TypeId> elements(3, in.type_id());
  for (size_t k = 0; k < 3; ++k) {
    const SymExprId size = sym_int(*context, k < 2 ? 2 : 1);
    elements[k] = contiguous_tensor(*context, Dtype::kFloat32, {&size, 1});
  }
  Type type;
  type.kind = TypeKind::kList;
  type.elements = elements;
  graph.set_type(node, context->intern(type));
  const auto parts = expand(node);
  EXPECT_EQ(numbers(parts[0]), (Numbers{1, 2}));
  EXPECT_EQ(numbers(parts[2]), (Numbers{5}));
}

TEST_F(Expansions, NarrowFloatsAreComputedInFloat32) {
  const Node in = input(Dtype::kBFloat16, {1, 2}, {0, 1});
  const Node node = call("_softmax.default", {in, i(1), b(false)});
  const Node result = expand(node)[0];
  EXPECT_EQ(result.target(), "aten._to_copy.default");
  EXPECT_EQ(result.operand(0).type().dtype, Dtype::kFloat32);
  const double exact = 1 / (1 + std::exp(1.0));
  EXPECT_EQ(numbers(result),
            (Numbers{round_to(Dtype::kBFloat16, exact), round_to(Dtype::kBFloat16, 1 - exact)}));
}

TEST_F(Expansions, WhatIsNoFloatIsLeftWhole) {
  const Node node = call("_softmax.default", {integers({2, 2}), i(1), b(false)});
  const auto results = op_row(node)->expand(graph, node);
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, "no-expansion");
}

TEST_F(Expansions, WhatIsNotKnownIsSaid) {
  const Node in = floats({2, 3});
  const Node bad = call("view.default", {call("t.default", {in}), list({6})});
  EXPECT_EQ(op_row(bad)->type(bad).error().code, "bad-view");
  const Node unsized = call("full.default", {none(), f(1)});
  EXPECT_EQ(op_row(unsized)->type(unsized).error().code, "unknown-size");
  const Node alone = call("add.Tensor", {i(1), i(2)});
  EXPECT_EQ(op_row(alone)->type(alone).error().code, "no-type-rule");
}

}  // namespace
}  // namespace nfx::testing
