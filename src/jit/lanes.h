// Which values differ between lanes, and how many lanes to run.
#pragma once
#include <vector>

#include "jit/target.h"
#include "loop/scheduled.h"

namespace nfx::jit {

struct Lanes {
  int width = 1;  // positions in one vector
  int parts = 1;  // vectors handled side by side
  bool scalar() const { return width == 1; }
};

// For one dimension that lanes run along.
struct Variance {
  std::vector<bool> exprs;       // by ExprId
  std::vector<bool> reductions;  // by number over all stages
};

// Expressions that depend on the position in `dim`. A reduction over `dim`
// itself ends uniform.
Variance find_variance(const Kernel& kernel, DimId dim);

struct StagePlan {
  DimId dim = kNoDim;    // lanes run along it; kNoDim: none in this stage
  bool reduces = false;  // it is a reduce dimension
  Lanes lanes;
  Lanes tile;  // for filling the stage's tile
};

struct LanePlan {
  DimId row_dim = kNoDim;  // lanes along the last row dimension
  Lanes row_lanes;
  Variance row_variance;
  std::vector<StagePlan> stages;
  std::vector<Variance> stage_variance;  // of each stage's own dimension
};

LanePlan plan_lanes(const ScheduledKernel& scheduled, const Target& target);

// Loops outermost first: the lane dimension goes innermost.
std::vector<DimId> loop_order(const std::vector<DimId>& dims, DimId lane_dim);

// Every expression that the stage evaluates by itself: steps, store offsets,
// values and guards.
std::vector<ExprId> stage_roots(const Stage& stage);

// The roots and all they are made of, each once, operands first.
std::vector<ExprId> reachable(const Kernel& kernel, const std::vector<ExprId>& roots);

}  // namespace nfx::jit
