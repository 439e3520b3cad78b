// Where buffers of known lifetimes lie in one block of memory.
//
//   bytes  steps            offset
//    4096   0..2               0
//    4096   3..5               0      not alive together: the same place
//    1024   1..4            4096
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace nfx {

struct BufferLife {
  int64_t bytes = 0;
  uint32_t first = 0;  // the step that writes it first
  uint32_t last = 0;   // the last step that reads it
};

inline constexpr int64_t kBufferAlignment = 64;

struct MemoryPlan {
  std::vector<int64_t> offsets;  // one a buffer, aligned
  int64_t bytes = 0;             // of the whole block
};

// Greedy: the largest first, each at the lowest place that is free while it
// lives (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net
// Inference", 2020). Depends on nothing but its input.
MemoryPlan plan_memory(std::span<const BufferLife> buffers);

}  // namespace nfx
