// Random kernels: compiled code does what the interpreter does, and the same bits
// whatever the ranges it is run in.
#include <gtest/gtest.h>

#include "jit/compiled.h"
#include "loop/print.h"
#include "loop/random_kernel.h"

namespace nfx {
namespace {

class RandomKernels : public ::testing::TestWithParam<int> {};

// Ten seeds a test.
TEST_P(RandomKernels, CompiledAsInterpreted) {
  for (int k = 0; k < 10; ++k) {
    const auto seed = static_cast<uint64_t>(GetParam() * 10 + k);
    const RandomKernel random = random_kernel(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + print(random.kernel));
    expect_as_interpreted(random.kernel, random.memory, random.scalars, random.tolerance());
    if (HasFailure()) return;
  }
}

TEST_P(RandomKernels, SameBitsInAnyRanges) {
  for (int k = 0; k < 10; ++k) {
    const auto seed = static_cast<uint64_t>(GetParam() * 10 + k);
    const RandomKernel random = random_kernel(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + print(random.kernel));
    const auto code = compiled(random.kernel);
    ASSERT_NE(code, nullptr);
    std::vector<Memory> whole = random.memory;
    std::vector<Memory> pieces = random.memory;
    run(random.kernel, *code, whole, random.scalars);
    run(random.kernel, *code, pieces, random.scalars, 1);
    for (size_t b = 0; b < whole.size(); ++b) EXPECT_TRUE(same_bits(whole[b], pieces[b]));
  }
}

// The other widths that this machine can run.
TEST_P(RandomKernels, OtherTargets) {
  for (int k = 0; k < 3; ++k) {
    const auto seed = static_cast<uint64_t>(1000 + GetParam() * 3 + k);
    const RandomKernel random = random_kernel(seed);
    for (const auto& jit : all_jits()) {
      SCOPED_TRACE("seed " + std::to_string(seed) + " on " + jit->target() + "\n" +
                   print(random.kernel));
      expect_as_interpreted(random.kernel, random.memory, random.scalars, random.tolerance(), *jit);
    }
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomKernels, ::testing::Range(0, 30));

}  // namespace
}  // namespace nfx
