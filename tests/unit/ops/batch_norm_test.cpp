// Batch norm in training and inference, and its gradients.
#include <cmath>

#include "ops/op_case.h"

namespace nfx::testing {
namespace {

class BatchNorm : public OpCase {
 protected:
  std::vector<Node> expand(Node node) {
    graph.set_insertion_point(node);
    const Result<std::vector<Node>> results = op_row(node)->expand(graph, node);
    graph.set_insertion_point({});
    EXPECT_TRUE(results) << (results ? "" : results.error().str());
    return results ? *results : std::vector<Node>{};
  }
  void expect_near(Node node, const Numbers& expected) {
    const Numbers got = numbers(node);
    ASSERT_EQ(got.size(), expected.size());
    for (size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], expected[k], 1e-5) << k;
  }
  ArgId mask() {
    const ArgId all[] = {b(true), b(true), b(true)};
    return context->sequence(ArgKind::kList, all);
  }
  // Two channels: (1, 3) and (0, 4) over the batch.
  Node x = floats({2, 2}, {1, 0, 3, 4});
  Node weight = floats({2}, {2, 1}), bias = floats({2}, {0, 1});
  Node mean = floats({2}, {1, 2}), variance = floats({2}, {4, 1});
};

TEST_F(BatchNorm, TrainingUsesTheBatchAndMovesTheStatistics) {
  const auto results = expand(call("_native_batch_norm_legit_functional.default",
                                   {x, weight, bias, mean, variance, b(true), f(0.5), f(0)}));
  expect_near(results[0], {-2, 0, 2, 2});
  expect_near(results[1], {2, 2});
  expect_near(results[2], {1, 0.5});
  expect_near(results[3], {1.5, 2});
  expect_near(results[4], {0.5 * 4 + 0.5 * 2, 0.5 * 1 + 0.5 * 8});
}

TEST_F(BatchNorm, InferenceUsesTheStatistics) {
  const auto results = expand(call("_native_batch_norm_legit_no_training.default",
                                   {x, weight, bias, mean, variance, f(0.5), f(0)}));
  expect_near(results[0], {0, -1, 2, 3});
  EXPECT_TRUE(numbers(results[1]).empty());
  const auto functional = expand(call("_native_batch_norm_legit_functional.default",
                                      {x, none(), none(), mean, variance, b(false), f(0.5), f(0)}));
  expect_near(functional[0], {0, -2, 1, 2});
  EXPECT_EQ(functional[3], mean);
}

TEST_F(BatchNorm, Gradients) {
  const Node grad = floats({2, 2}, {1, 2, 0, 1});
  const Node save_mean = floats({2}, {2, 2}), inverse = floats({2}, {1, 0.5});
  const auto train =
      expand(call("native_batch_norm_backward.default",
                  {grad, x, weight, mean, variance, save_mean, inverse, b(true), f(0), mask()}));
  expect_near(train[0], {0, 0, 0, 0});  // two points: the normalised values cannot move
  expect_near(train[1], {-1, -1});
  expect_near(train[2], {1, 3});
  const auto fixed =
      expand(call("native_batch_norm_backward.default",
                  {grad, x, weight, mean, variance, none(), none(), b(false), f(0), mask()}));
  expect_near(fixed[0], {1, 2, 0, 1});
  expect_near(fixed[1], {0, -2});
}

}  // namespace
}  // namespace nfx::testing
