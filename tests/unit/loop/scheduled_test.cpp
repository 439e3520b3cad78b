#include "loop/scheduled.h"

#include <gtest/gtest.h>

#include "loop/attention.h"
#include "loop/verify.h"

namespace nfx {
namespace {

constexpr int kVectorBytes = 32;

TEST(Scheduled, HeadsAreWalkedTogetherWhereOneGatherServesThem) {
  const Attention gat = attention(8, 8);
  const Schedule schedule = make_schedule(gat.kernel, kVectorBytes);
  ASSERT_TRUE(schedule.joint_rows);
  EXPECT_EQ(schedule.stages[2].unroll, 8);
  EXPECT_GT(schedule.stages[2].tile, 0);
  EXPECT_EQ(work_items(gat.kernel, schedule, gat.scalars.data()), gat.scalars[0]);
}

TEST(Scheduled, HeadsTooWideForRegistersAreRowsOfTheirOwn) {
  const Schedule schedule = make_schedule(attention(8, 256).kernel, kVectorBytes);
  EXPECT_FALSE(schedule.joint_rows);
  EXPECT_GT(schedule.stages[2].tile, 0);
}

TEST(Scheduled, OnlyTheExponentialIsATile) {
  const Attention gat = attention(8, 8);
  const std::vector<ExprId> values = tile_values(gat.kernel, gat.kernel.stages[2]);
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(gat.kernel.exprs[values[0]].op, ExprOp::kDiv);
  EXPECT_TRUE(tile_values(testing_kernels::parsed(testing_kernels::kWeightedSum),
                          testing_kernels::parsed(testing_kernels::kWeightedSum).stages[0])
                  .empty());
}

// What is written out computes the same, on the interpreter too.
TEST(Scheduled, WrittenOutComputesTheSame) {
  for (const auto& [heads, features] : {std::pair{8, 8}, {6, 20}, {4, 8}, {16, 8}}) {
    SCOPED_TRACE(std::to_string(heads) + " heads of " + std::to_string(features));
    Attention gat = attention(heads, features);
    const ScheduledKernel written =
        apply_schedule(gat.kernel, make_schedule(gat.kernel, kVectorBytes));
    ASSERT_TRUE(written.schedule.joint_rows);
    EXPECT_TRUE(verify(written.kernel).ok());
    std::vector<Memory> memory = gat.memory;
    run_reference(gat.kernel, gat.memory, gat.scalars);
    for (size_t s = 0; s < written.scratch.size(); ++s) {
      const size_t buffer = written.kernel.buffers.size() - written.scratch.size() + s;
      memory.emplace_back(written.kernel.buffers[buffer].dtype, written.scratch[s]);
    }
    run_reference(written.kernel, memory, gat.scalars);
    EXPECT_EQ(difference(memory[5], gat.memory[5], 0), "");
  }
}

}  // namespace
}  // namespace nfx
