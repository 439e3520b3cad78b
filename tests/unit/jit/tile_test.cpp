// Values computed for blocks of positions, and rows walked together.
#include <gtest/gtest.h>

#include "jit/compiled.h"
#include "loop/attention.h"

namespace nfx {
namespace {

class Heads : public ::testing::TestWithParam<std::pair<int64_t, int64_t>> {};

TEST_P(Heads, AsInterpretedOnEveryWidth) {
  const Attention gat = attention(GetParam().first, GetParam().second);
  for (const auto& jit : all_jits()) {
    SCOPED_TRACE(jit->target());
    expect_as_interpreted(gat.kernel, gat.memory, gat.scalars, 2e-6, *jit);
  }
}

TEST_P(Heads, SameBitsInAnyRanges) {
  const Attention gat = attention(GetParam().first, GetParam().second);
  const auto code = compiled(gat.kernel);
  ASSERT_NE(code, nullptr);
  std::vector<Memory> whole = gat.memory, pieces = gat.memory;
  run(gat.kernel, *code, whole, gat.scalars);
  run(gat.kernel, *code, pieces, gat.scalars, 1);
  EXPECT_TRUE(same_bits(whole[5], pieces[5]));
}

INSTANTIATE_TEST_SUITE_P(Tiles, Heads,
                         ::testing::Values(std::pair{1, 64}, std::pair{1, 5}, std::pair{2, 16},
                                           std::pair{3, 8}, std::pair{6, 20}, std::pair{8, 8},
                                           std::pair{8, 64}, std::pair{16, 1}, std::pair{40, 4}));

// Softmax over a dense dimension times values: the exponential is the tile.
TEST(Tiles, SoftmaxTimesValues) {
  const Kernel kernel = testing_kernels::parsed(R"(
kernel attend(b0: float32 in, b1: float32 in, b2: float32 out; s0: int64, s1: int64)
dim i = dense(s0)
dim j = dense(s1)
dim f = dense(24)
rows i
stage reduce j
  r0 = max(load b0[i*s1 + j])
stage reduce j
  r1 = sum(exp(load b0[i*s1 + j] - r0))
stage map f reduce j
  r2 = sum(exp(load b0[i*s1 + j] - r0)/r1*load b1[(i*s1 + j)*24 + f])
  store b2[i*24 + f] = r2
)");
  for (int64_t columns : {0, 1, 32, 77, 200}) {
    std::vector<double> scores, values;
    for (int64_t k = 0; k < 5 * columns; ++k) scores.push_back(0.1 * double(k * 29 % 83));
    for (int64_t k = 0; k < 5 * columns * 24; ++k) values.push_back(0.01 * double(k * 31 % 97));
    const std::vector<Memory> memory = {Memory(Dtype::kFloat32, scores),
                                        Memory(Dtype::kFloat32, values),
                                        Memory(Dtype::kFloat32, 5 * 24)};
    expect_as_interpreted(kernel, memory, {5, columns}, 2e-6);
  }
}

}  // namespace
}  // namespace nfx
