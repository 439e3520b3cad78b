#include "runtime/memory_plan.h"

#include <gtest/gtest.h>

#include <random>

namespace nfx {
namespace {

bool alive_together(const BufferLife& a, const BufferLife& b) {
  return a.first <= b.last && b.first <= a.last;
}

void expect_apart(const std::vector<BufferLife>& buffers, const MemoryPlan& plan) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    EXPECT_EQ(plan.offsets[i] % kBufferAlignment, 0);
    EXPECT_LE(plan.offsets[i] + buffers[i].bytes, plan.bytes);
    for (size_t j = 0; j < i; ++j) {
      if (!alive_together(buffers[i], buffers[j])) continue;
      const bool apart = plan.offsets[i] + buffers[i].bytes <= plan.offsets[j] ||
                         plan.offsets[j] + buffers[j].bytes <= plan.offsets[i];
      EXPECT_TRUE(apart || buffers[i].bytes == 0 || buffers[j].bytes == 0) << i << " and " << j;
    }
  }
}

TEST(MemoryPlan, NothingNeedsNothing) {
  const MemoryPlan plan = plan_memory({});
  EXPECT_EQ(plan.bytes, 0);
  EXPECT_TRUE(plan.offsets.empty());
}

TEST(MemoryPlan, SharesThePlaceOfWhatHasDied) {
  const std::vector<BufferLife> buffers = {{4096, 0, 2}, {4096, 3, 5}, {1024, 1, 4}};
  const MemoryPlan plan = plan_memory(buffers);
  EXPECT_EQ(plan.offsets, (std::vector<int64_t>{0, 0, 4096}));
  EXPECT_EQ(plan.bytes, 5120);
}

TEST(MemoryPlan, WrittenAndReadInOneStepAreApart) {
  const std::vector<BufferLife> buffers = {{64, 0, 1}, {64, 1, 2}};
  EXPECT_EQ(plan_memory(buffers).bytes, 128);
}

TEST(MemoryPlan, ChainNeedsTwoPlaces) {
  std::vector<BufferLife> chain;
  for (uint32_t i = 0; i < 100; ++i) chain.push_back({1000, i, i + 1});
  EXPECT_EQ(plan_memory(chain).bytes, 2 * 1024);
}

TEST(MemoryPlan, RandomBuffersNeverOverlap) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    std::vector<BufferLife> buffers(random() % 40);
    for (BufferLife& buffer : buffers) {
      buffer.bytes = random() % 4 == 0 ? 0 : static_cast<int64_t>(random() % 5000);
      buffer.first = random() % 30;
      buffer.last = buffer.first + random() % 10;
    }
    expect_apart(buffers, plan_memory(buffers));
  }
}

}  // namespace
}  // namespace nfx
