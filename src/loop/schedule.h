// How a kernel is run: decides speed, never meaning beyond the order in which
// partial results of a reduction merge, which depends on the data alone.
#pragma once
#include <cstdint>
#include <vector>

#include "loop/kernel.h"

namespace nfx {

inline constexpr DimId kNoDim = ~DimId{0};

struct StageSchedule {
  DimId vector_dim = kNoDim;  // a map or reduce dimension of the stage that lanes run along
  int accumulators = 1;       // independent partial states, merged at the end
  int64_t block = 0;          // reduce dims: fold a fresh state into the total every `block` steps
  int prefetch = 0;           // positions ahead of a ragged dim whose gathered rows are prefetched
  int64_t tile = 0;    // positions whose map-independent values are computed at once; 0: none
  int64_t unroll = 1;  // with joint rows: their positions done side by side, a divisor of them
};

struct Schedule {
  // Lanes run along the last row dimension in every stage (kernel-wide), or
  // along a dimension of each stage.
  bool vector_rows = false;
  int64_t row_block = 1024;  // with vector_rows: positions of the last row dimension per work item
  // The last row dimension, of known extent, is walked inside each stage (scheduled.h).
  bool joint_rows = false;
  std::vector<StageSchedule> stages;
};

// Chooses by the strides of the loads: lanes run where most accesses are
// contiguous or uniform. Pure function of the kernel and vector width.
Schedule make_schedule(const Kernel& kernel, int vector_bytes);

// Number of work items: rows, or (with joint_rows) rows without the last
// dimension, or (with vector_rows) those times the blocks of the last. A compiled kernel runs a
// range of them.
int64_t work_items(const Kernel& kernel, const Schedule& schedule, const int64_t* scalars);

}  // namespace nfx
