// A kernel with what its schedule says about walking rows jointly and about
// tiles written out: what the code generator walks.
//
// Jointly walked rows. The last row dimension becomes the outermost map
// dimension of every stage, and what a stage folded lies in scratch memory of
// the row for later stages:
//
//   rows i h                               rows i
//   stage reduce e                         stage map h reduce e
//     r0 = max(load b0[load b1[e]*8 + h])    r0 = max(load b0[load b1[e]*8 + h])
//   stage map f reduce e             =>      store b9[h] = r0
//     r1 = sum(exp(load ... - r0)*x)       stage map h f reduce e
//                                            r1 = sum(exp(load ... - load b9[h])*x)
//
// so that lanes of one stage run along h and those of the next along f. A stage
// may do `unroll` positions of h side by side, each as reductions of its own, so
// that one walk over the edges serves them all.
//
// Tiles. In the second stage the exponential differs from edge to edge, but not
// along f: it is computed for a block of edges at once, in lanes, and read from
// the stack when their rows are added up.
//
// Test: tests/unit/loop/scheduled_test.cpp
#pragma once
#include <vector>

#include "loop/schedule.h"

namespace nfx {

// `expr` at `position` of the tile's lanes is element `value` of the tile.
struct TileUse {
  ExprId expr = kNoExpr;
  size_t value = 0;
  ExprId position = kNoExpr;  // int64; kNoExpr: lanes run along the blocked dimension
};

// Memory that a block of positions will touch.
struct TilePrefetch {
  BufferId buffer = 0;
  ExprId offset = kNoExpr;
  int64_t bytes = 0;
};

struct StageTile {
  DimId dim = kNoDim;       // the outermost reduce dimension, walked in blocks
  int64_t block = 0;        // positions of a block
  DimId lane_dim = kNoDim;  // lanes run along it as the tile is filled
  int64_t width = 1;        // extent of lane_dim where it is not `dim`
  std::vector<ExprId> values;
  std::vector<TileUse> uses;
  std::vector<TilePrefetch> prefetch;
};

struct ScheduledKernel {
  Kernel kernel;  // dimensions keep their numbers; new ones and scratch buffers come last
  Schedule schedule;
  std::vector<int64_t> scratch;  // elements of each scratch buffer
  std::vector<StageTile> tiles;  // by stage
  // Stores that a stage does at each position that it reduces over, by stage
  // (early_stores.cpp). They came from a later stage, which is empty then.
  std::vector<std::vector<Store>> early;
};

ScheduledKernel apply_schedule(const Kernel& kernel, const Schedule& schedule);

void store_early(ScheduledKernel& scheduled);

// Floating expressions of a stage's steps that are dear, differ along its
// outermost reduce dimension, and neither along its other dimensions nor with the
// state: each as large as it can be.
std::vector<ExprId> tile_values(const Kernel& kernel, const Stage& stage);

}  // namespace nfx
