// Stores that a reduction does on its way.
#include <gtest/gtest.h>

#include "jit/compiled.h"
#include "loop/kernels.h"
#include "loop/scheduled.h"

namespace nfx {
namespace {

constexpr char kGradient[] = R"(
kernel gradient(b0: float32 in, b1: float32 in, b2: float32 out, b3: float32 out; s0: int64, s1: int64)
dim j = dense(s1)
dim i = dense(s0)
rows j
stage reduce i
  let t0 = load b1[i*s1 + j]*(1.0f - tanh(load b0[i*s1 + j])*tanh(load b0[i*s1 + j]))
  r0 = sum(t0)
  store b3[j] = r0
stage map i
  store b2[i*s1 + j] = t0
)";
constexpr char kRows[] = R"(
kernel along_rows(b0: float32 in, b1: float32 in, b2: float32 out, b3: float32 out; s0: int64, s1: int64)
dim i = dense(s0)
dim j = dense(s1)
rows i
stage reduce j
  r0 = sum(load b0[i*s1 + j])
stage reduce j
  r1 = max(load b0[i*s1 + j]*load b1[i*s1 + j] - r0)
stage map j
  store b2[i*s1 + j if gt(load b1[i*s1 + j], 0.0f)] = load b0[i*s1 + j] - r0
stage
  store b3[i] = r1
)";

class EarlyStores : public ::testing::TestWithParam<std::pair<int64_t, int64_t>> {};

TEST_P(EarlyStores, AsInterpreted) {
  const auto [rows, columns] = GetParam();
  std::vector<double> x, y;
  for (int64_t k = 0; k < rows * columns; ++k) {
    x.push_back(0.05 * static_cast<double>(k * 29 % 83 - 40));
    y.push_back(0.03 * static_cast<double>(k * 31 % 97 - 48));
  }
  for (const char* text : {kGradient, kRows}) {
    const Kernel kernel = testing_kernels::parsed(text);
    const std::vector<Memory> memory = {Memory(Dtype::kFloat32, x), Memory(Dtype::kFloat32, y),
                                        Memory(Dtype::kFloat32, rows * columns),
                                        Memory(Dtype::kFloat32, std::max(rows, columns))};
    for (const auto& jit : all_jits()) {
      SCOPED_TRACE(jit->target());
      expect_as_interpreted(kernel, memory, {rows, columns}, 1e-5, *jit);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, EarlyStores,
                         ::testing::Values(std::pair{1, 1}, std::pair{5, 37}, std::pair{300, 3},
                                           std::pair{3, 300}, std::pair{0, 4}, std::pair{4, 0}));

std::vector<size_t> early(std::string_view text) {
  const Kernel kernel = testing_kernels::parsed(text);
  std::vector<size_t> counts;
  for (const auto& stores : apply_schedule(kernel, make_schedule(kernel, 32)).early) {
    counts.push_back(stores.size());
  }
  return counts;
}

TEST(EarlyStores, InTheLastReductionThatComesBefore) {
  EXPECT_EQ(early(kGradient), (std::vector<size_t>{1, 0}));
  EXPECT_EQ(early(kRows), (std::vector<size_t>{0, 1, 0, 0}));
}

TEST(EarlyStores, NotWhereTheReductionIsNeededOrMemoryIsReadAgain) {
  EXPECT_EQ(early(testing_kernels::kSoftmax), (std::vector<size_t>{0, 0, 0}));
  EXPECT_EQ(early(R"(
kernel k(b0: float32 in, b1: float32 out, b2: float32 out)
dim j = dense(8)
stage reduce j
  r0 = sum(load b0[j])
stage map j
  store b1[j] = load b0[j]*2.0f
stage reduce j
  r1 = max(load b0[j] - r0)
  store b2[0] = r1
)"),
            (std::vector<size_t>{0, 0, 0}));
}

}  // namespace
}  // namespace nfx
