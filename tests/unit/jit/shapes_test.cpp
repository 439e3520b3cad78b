// Kernels of the usual shapes at sizes around the vector width.
#include <gtest/gtest.h>

#include <random>

#include "jit/compiled.h"
#include "loop/kernels.h"

namespace nfx {
namespace {

using testing_kernels::parsed;

Memory random_floats(int64_t count, uint64_t seed, double scale = 3) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal(0, scale);
  std::vector<double> values(static_cast<size_t>(count));
  for (double& value : values) value = normal(engine);
  return {Dtype::kFloat32, values};
}

class Sizes : public ::testing::TestWithParam<int> {};

TEST_P(Sizes, Pointwise) {
  const int64_t n = GetParam();
  const Kernel kernel = parsed(R"(
kernel pointwise(b0: float32 in, b1: float32 in, b2: float32 out; s0: int64)
dim i = dense(s0)
rows i
stage
  store b2[i] = mul(load b0[i], load b0[i]) + load b1[0]
)");
  expect_as_interpreted(kernel, {random_floats(n, 1), random_floats(1, 2), {Dtype::kFloat32, n}},
                        {n}, 1e-6);
}

TEST_P(Sizes, Softmax) {
  const int64_t n = GetParam();
  expect_as_interpreted(parsed(testing_kernels::kSoftmax),
                        {random_floats(5 * n, 3), {Dtype::kFloat32, 5 * n}}, {5, n}, 1e-6);
}

TEST_P(Sizes, ColumnSum) {
  const int64_t n = GetParam();
  expect_as_interpreted(parsed(testing_kernels::kColumnSum),
                        {random_floats(37 * n, 3), {Dtype::kFloat32, n}}, {37, n}, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Tails, Sizes, ::testing::Range(0, 71));

}  // namespace
}  // namespace nfx
