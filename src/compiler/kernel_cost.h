// How much a loop kernel moves and computes, for reports. Sizes that vary count by
// their hints.
#pragma once
#include <cstdint>
#include <optional>

#include "loop/fuse.h"

namespace nfx {

struct KernelCost {
  std::optional<int64_t> bytes;  // of all buffers, each once; nothing without hints
  // Floating operations as written, before anything is hoisted; a function counts
  // as one. Nothing for loops over edges, whose number only the data tells.
  std::optional<int64_t> flops;
};

KernelCost kernel_cost(const FusedKernel& fused);

}  // namespace nfx
