#include "loop/schedule.h"

#include <gtest/gtest.h>

#include "loop/builder.h"
#include "loop/kernels.h"

namespace nfx {
namespace {

constexpr int kVectorBytes = 32;

using testing_kernels::parsed;

TEST(Schedule, SoftmaxRunsAlongTheContiguousDimension) {
  const Schedule schedule = make_schedule(parsed(testing_kernels::kSoftmax), kVectorBytes);
  EXPECT_FALSE(schedule.vector_rows);
  ASSERT_EQ(schedule.stages.size(), 3u);
  for (const StageSchedule& stage : schedule.stages) EXPECT_EQ(stage.vector_dim, 1u);
  EXPECT_GT(schedule.stages[0].accumulators, 1);
  EXPECT_GT(schedule.stages[0].block, 0);
  EXPECT_EQ(schedule.stages[2].block, 0);
}

TEST(Schedule, WeightedSumRunsAlongFeaturesAndPrefetches) {
  const Schedule schedule = make_schedule(parsed(testing_kernels::kWeightedSum), kVectorBytes);
  EXPECT_TRUE(schedule.vector_rows);
  EXPECT_EQ(schedule.stages[0].vector_dim, kNoDim);
  EXPECT_GT(schedule.stages[0].prefetch, 0);
}

TEST(Schedule, EdgeSoftmaxRunsAlongEdges) {
  const Schedule schedule = make_schedule(parsed(testing_kernels::kEdgeSoftmax), kVectorBytes);
  EXPECT_FALSE(schedule.vector_rows);
  for (const StageSchedule& stage : schedule.stages) {
    EXPECT_EQ(stage.vector_dim, 1u);
    EXPECT_EQ(stage.prefetch, 0);
  }
}

TEST(Schedule, ColumnSumRunsAlongColumns) {
  EXPECT_TRUE(make_schedule(parsed(testing_kernels::kColumnSum), kVectorBytes).vector_rows);
}

TEST(Schedule, ShortInnerDimensionLosesToLongOuter) {
  const Kernel kernel = parsed(R"(
kernel k(b0: float32 in, b1: float32 out)
dim i = dense(4)
dim j = dense(2)
dim c = dense(4096)
rows i
stage map c reduce j
  r0 = sum(load b0[(i*4096 + c)*2 + j])
  store b1[i*4096 + c] = r0
)");
  EXPECT_EQ(make_schedule(kernel, kVectorBytes).stages[0].vector_dim, 2u);
}

TEST(Schedule, IntegerAndShortReductionsNeedNoBlocks) {
  for (const char* text :
       {"kernel k(b0: int32 in; s0: int64) dim i = dense(s0) stage reduce i r0 = sum(load b0[i])",
        "kernel k(b0: float32 in) dim i = dense(64) stage reduce i r0 = sum(load b0[i])"}) {
    EXPECT_EQ(make_schedule(parsed(text), kVectorBytes).stages[0].block, 0) << text;
  }
}

TEST(Schedule, WorkItemsAreRowsOrBlocksOfTheLast) {
  const Kernel kernel = parsed(testing_kernels::kWeightedSum);
  Schedule schedule;
  const int64_t scalars[] = {7, 2500};
  EXPECT_EQ(work_items(kernel, schedule, scalars), 7 * 2500);
  schedule.vector_rows = true;
  EXPECT_EQ(work_items(kernel, schedule, scalars), 7 * 3);
  const int64_t empty[] = {7, 0};
  EXPECT_EQ(work_items(kernel, schedule, empty), 0);
}

}  // namespace
}  // namespace nfx
