// Losses of each element and of all, and norms.
#include <cmath>

#include "ops/op_case.h"

namespace nfx::testing {
namespace {

class Losses : public OpCase {
 protected:
  Numbers expanded(Node node) {
    graph.set_insertion_point(node);
    const Result<std::vector<Node>> results = op_row(node)->expand(graph, node);
    graph.set_insertion_point({});
    EXPECT_TRUE(results);
    return results ? numbers(results->at(0)) : Numbers{};
  }
  Node x = floats({3}, {0, 2, -4}), target = floats({3}, {0.5, 0, 0});
};

TEST_F(Losses, OfDistance) {
  EXPECT_EQ(numbers(call("huber_loss.default", {x, target, i(0)})), (Numbers{0.125, 1.5, 3.5}));
  EXPECT_EQ(numbers(call("smooth_l1_loss.default", {x, target, i(0), f(2)})),
            (Numbers{0.0625, 1, 3}));
  EXPECT_EQ(expanded(call("huber_loss.default", {x, target, i(2)})), (Numbers{5.125}));
  EXPECT_EQ(expanded(call("smooth_l1_loss.default", {x, target, i(1), f(0)})),
            (Numbers{static_cast<float>(6.5 / 3)}));
  const Node each = call("huber_loss.default", {x, target, i(0)});
  EXPECT_EQ(op_row(each)->expand(graph, each).error().code, "no-expansion");
}

TEST_F(Losses, GradientsShareTheMean) {
  const Node grad = floats({}, {3});
  EXPECT_EQ(numbers(call("huber_loss_backward.default", {grad, x, target, i(1), f(1)})),
            (Numbers{-0.5, 1, -1}));
  EXPECT_EQ(numbers(call("smooth_l1_loss_backward.default", {grad, x, target, i(2), f(2)})),
            (Numbers{-0.75, 3, -3}));
}

TEST_F(Losses, LogarithmsAreBounded) {
  const Node sure = floats({2}, {0, 1}), wrong = floats({2}, {1, 0});
  EXPECT_EQ(numbers(call("binary_cross_entropy.default", {sure, wrong, none(), i(0)})),
            (Numbers{100, 100}));
  const Node logits = floats({1}, {0});
  EXPECT_FLOAT_EQ(
      static_cast<float>(numbers(call("binary_cross_entropy_with_logits.default",
                                      {logits, floats({1}, {1}), none(), none(), i(0)}))[0]),
      std::log(2.0f));
}

TEST_F(Losses, NormsOfEveryOrder) {
  const Node v = floats({3}, {3, 0, -4});
  const double inf = std::numeric_limits<double>::infinity();
  const std::pair<double, double> cases[] = {{2, 5}, {1, 7}, {0, 2}, {inf, 4}, {-inf, 0}};
  for (const auto& [order, length] : cases) {
    EXPECT_EQ(expanded(call("linalg_vector_norm.default", {v, f(order)})), (Numbers{length}));
  }
  EXPECT_NEAR(expanded(call("norm.Scalar", {v, f(3)}))[0], std::cbrt(91.0), 1e-5);
  EXPECT_EQ(expanded(call("count_nonzero.default", {v})), (Numbers{2}));
  EXPECT_EQ(expanded(call("nansum.default", {floats({2}, {1, NAN})})), (Numbers{1}));
}

}  // namespace
}  // namespace nfx::testing
