#include "loop/random_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "loop/parse.h"
#include "loop/print.h"
#include "loop/schedule.h"
#include "loop/verify.h"

namespace nfx {
namespace {

constexpr uint64_t kSeeds = 150;

TEST(RandomKernel, VerifiesAndRoundTrips) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Kernel kernel = random_kernel(seed).kernel;
    const Status status = verify(kernel);
    ASSERT_TRUE(status.ok()) << status.error().str() << print(kernel);
    const std::string text = print(kernel);
    auto again = parse_kernel(text);
    ASSERT_TRUE(again.ok()) << again.error().str() << text;
    ASSERT_EQ(print(*again), text);
  }
}

// The generator reaches what it is there for.
TEST(RandomKernel, CoversTheLanguage) {
  int ragged = 0, split = 0, guarded = 0, gathers = 0, scalars = 0, stages = 0;
  std::set<ExprOp> ops;
  std::set<Dtype> dtypes;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Kernel kernel = random_kernel(seed).kernel;
    for (const Dim& dim : kernel.dims) ragged += dim.kind == Dim::Kind::kRagged;
    for (const KernelBuffer& buffer : kernel.buffers) dtypes.insert(buffer.dtype);
    for (const Stage& stage : kernel.stages) split += stage.reductions.size() > 1;
    for (ExprId id = 0; id < kernel.exprs.size(); ++id) {
      const ExprNode& node = kernel.exprs[id];
      ops.insert(node.op);
      if (node.op != ExprOp::kLoad) continue;
      guarded += node.operands[1] != kNoExpr;
      std::vector<bool> seen;
      std::vector<ExprId> order;
      append_post_order(kernel.exprs, node.operands[0], seen, order);
      gathers += std::any_of(order.begin(), order.end(),
                             [&](ExprId part) { return kernel.exprs[part].op == ExprOp::kLoad; });
    }
    scalars += !kernel.scalars.empty();
    stages += kernel.stages.size() > 1;
  }
  for (int count : {ragged, split, guarded, gathers, scalars, stages}) EXPECT_GT(count, 30);
  EXPECT_GT(ops.size(), 40u);
  EXPECT_EQ(dtypes.size(), 5u);
}

// What is read back computes the same bits.
TEST(RandomKernel, TextKeepsMeaning) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const RandomKernel random = random_kernel(seed);
    const std::string text = print(random.kernel);
    const Kernel again = std::move(*parse_kernel(text));
    std::vector<Memory> want = random.memory;
    std::vector<Memory> got = random.memory;
    run_reference(random.kernel, want, random.scalars);
    run_reference(again, got, random.scalars);
    for (size_t b = 0; b < want.size(); ++b) {
      ASSERT_EQ(difference(got[b], want[b], 0), "") << "seed " << seed << " buffer " << b << text;
    }
  }
}

// Every reduction may be split and merged.
TEST(RandomKernel, SplitReductionsAgree) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const RandomKernel random = random_kernel(seed);
    std::vector<Memory> want = random.memory;
    run_reference(random.kernel, want, random.scalars);
    for (int64_t block : {0, 1, 3, 8}) {
      Schedule schedule = make_schedule(random.kernel, 32);
      for (StageSchedule& stage : schedule.stages) {
        stage.block = block;
        stage.accumulators = 2;
      }
      std::vector<Memory> got = random.memory;
      run_reference(random.kernel, got, random.scalars, &schedule);
      for (size_t b = 0; b < want.size(); ++b) {
        ASSERT_EQ(difference(got[b], want[b], random.tolerance()), "")
            << "seed " << seed << " buffer " << b << " block " << block << "\n"
            << print(random.kernel);
      }
    }
  }
}

}  // namespace
}  // namespace nfx
