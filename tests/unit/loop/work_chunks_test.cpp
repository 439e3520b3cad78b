#include "loop/work_chunks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "loop/kernels.h"

namespace nfx {
namespace {

TEST(WorkChunks, EvenWhereRowsAreAlike) {
  const Kernel kernel = testing_kernels::parsed(testing_kernels::kSoftmax);
  const int64_t scalars[] = {1000, 512};
  const WorkChunks chunks(kernel, nullptr, scalars, 1000, 512000);
  ASSERT_EQ(chunks.count(), 15);
  EXPECT_EQ(chunks.begin(0), 0);
  EXPECT_EQ(chunks.begin(15), 1000);
  EXPECT_EQ(WorkChunks(kernel, nullptr, scalars, 1, 512000).count(), 1);
  EXPECT_EQ(WorkChunks(kernel, nullptr, scalars, 1000, 100).count(), 1);
}

// One node has most of the edges: it is a chunk of its own.
TEST(WorkChunks, BalancedByEdges) {
  const Kernel kernel = testing_kernels::parsed(testing_kernels::kWeightedSum);
  constexpr int64_t kNodes = 40000, kHub = 20000;
  std::vector<int64_t> offsets = {0};
  for (int64_t i = 0; i < kNodes; ++i) offsets.push_back(offsets.back() + (i == kHub ? 500000 : 2));
  std::vector<void*> buffers(kernel.buffers.size(), nullptr);
  for (const Dim& dim : kernel.dims) {
    if (dim.kind == Dim::Kind::kRagged) buffers[dim.offsets] = offsets.data();
  }
  const int64_t scalars[] = {kNodes, 64};
  const int64_t blocks = 3;  // items of a row
  const WorkChunks chunks(kernel, buffers.data(), scalars, kNodes * blocks, 1);
  ASSERT_GT(chunks.count(), 30);
  EXPECT_EQ(chunks.begin(0), 0);
  EXPECT_EQ(chunks.begin(chunks.count()), kNodes * blocks);
  for (int64_t chunk = 0; chunk < chunks.count(); ++chunk) {
    const int64_t begin = chunks.begin(chunk), end = chunks.begin(chunk + 1);
    ASSERT_LE(begin, end);
    EXPECT_EQ(begin % blocks, 0);
    const auto at = [&](int64_t item) { return offsets[static_cast<size_t>(item / blocks)]; };
    const int64_t work = at(end) - at(begin) + (end - begin) / blocks;
    EXPECT_LE(work, 500000 + (1 << 15)) << chunk;
    const bool has_hub = begin / blocks <= kHub && kHub < end / blocks;
    if (!has_hub) {
      EXPECT_LE(work, 1 << 15) << chunk;
    }
  }
}

}  // namespace
}  // namespace nfx
