// The loops of a reduction. With a block size each level folds a fresh state into
// its total every so many steps, and inner levels are such blocks themselves, so
// that the error of a long sum grows with the depth of a tree, not its length.
#include <algorithm>

#include "jit/emitter.h"

namespace nfx::jit {
namespace {

// Inner loops up to this length are carried through: folding would cost more
// than it gains.
constexpr int64_t kShortLoop = 16;
// One lane adds at most so many numbers before its sum is folded.
constexpr int64_t kLaneSteps = 128;
constexpr int64_t kBlocksInGroup = 64;

}  // namespace

bool Emitter::cascades(size_t stage, DimId dim, size_t level) const {
  const int64_t block = stage < schedule_.stages.size() ? schedule_.stages[stage].block : 0;
  if (block <= 0) return false;
  const Dim& space = kernel_.dims[dim];
  if (space.kind == Dim::Kind::kRagged || space.extent.scalar >= 0) return true;
  return space.extent.constant > (level == 0 ? block : kShortLoop);
}

Values Emitter::reduce_level(size_t number, size_t level, Values states) {
  const Stage& stage = kernel_.stages[number];
  if (level == stage.reduce_dims.size()) return reduce_step(number, states);
  const DimId dim = loop_order(stage.reduce_dims, plan_.stages[number].dim)[level];
  const Range span = range(dim);
  if (cascades(number, dim, level)) {
    return reduce_blocked(number, level, span, std::move(states), block_sizes(number, dim));
  }
  return reduce_carried(number, level, span, std::move(states));
}

Values Emitter::reduce_carried(size_t number, size_t level, Range span, Values states) {
  const StagePlan& plan = plan_.stages[number];
  const DimId dim = loop_order(kernel_.stages[number].reduce_dims, plan.dim)[level];
  if (level == 0 && has_tile(number)) return reduce_tiled(number, span, states);
  if (plan.reduces && dim == plan.dim) return reduce_lanes(number, dim, span, std::move(states));
  return emit_loop(span, builder_.getInt64(1), states,
                   [&](llvm::Value* index, llvm::ArrayRef<llvm::Value*> carried) {
                     set_index(dim, index, false);
                     prefetch_rows(number, dim);
                     return reduce_level(number, level + 1, Values(carried.begin(), carried.end()));
                   });
}

// Positions folded at once, outermost first: a block, and where there may be many
// of them, groups of blocks.
std::vector<int64_t> Emitter::block_sizes(size_t number, DimId dim) const {
  const StagePlan& plan = plan_.stages[number];
  int64_t block = std::min(schedule_.stages[number].block, kLaneSteps);
  if (plan.reduces && dim == plan.dim) {
    const int64_t group = int64_t{plan.lanes.width} * plan.lanes.parts;
    block = (schedule_.stages[number].block + group - 1) / group * group;
  }
  const Dim& space = kernel_.dims[dim];
  const bool known = space.extent.scalar < 0 && space.extent.constant <= 2 * kBlocksInGroup * block;
  if (space.kind == Dim::Kind::kRagged || known) return {block};
  return {kBlocksInGroup * block, block};
}

Values Emitter::reduce_blocked(size_t number, size_t level, Range span, Values states,
                               llvm::ArrayRef<int64_t> sizes) {
  llvm::Value* step = builder_.getInt64(static_cast<uint64_t>(sizes[0]));
  return emit_loop(span, step, states, [&](llvm::Value* index, llvm::ArrayRef<llvm::Value*> total) {
    llvm::IRBuilder<>& b = here();
    llvm::Value* end = b.CreateAdd(index, step);
    end = b.CreateSelect(b.CreateICmpSLT(end, span.end), end, span.end);
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(span.count);
    const bool even = known != nullptr && known->getSExtValue() % sizes[0] == 0;
    const Range block{index, end, even ? step : b.CreateSub(end, index)};
    Values fresh = initial_states(number);
    fresh = sizes.size() > 1
                ? reduce_blocked(number, level, block, std::move(fresh), sizes.drop_front())
                : reduce_carried(number, level, block, std::move(fresh));
    return merge_states(number, total, fresh);
  });
}

// Whole vectors side by side, then single masked vectors.
Values Emitter::reduce_lanes(size_t number, DimId dim, Range span, Values states) {
  const Lanes lanes = plan_.stages[number].lanes;
  const auto loop = [&](Range part, int parts, bool masked, const Values& initial) {
    llvm::Value* step = builder_.getInt64(static_cast<uint64_t>(lanes.width * parts));
    return emit_loop(
        part, step, initial, [&](llvm::Value* index, llvm::ArrayRef<llvm::Value*> carried) {
          scope().lanes = {lanes.width, parts};
          set_index(dim, index, true);
          if (masked) {
            scope().masks = {tail_mask(here().CreateSub(span.end, index), lanes.width)};
          }
          return reduce_step(number, carried);
        });
  };
  llvm::IRBuilder<>& b = here();
  const auto group = static_cast<uint64_t>(lanes.width * lanes.parts);
  llvm::Value* whole = b.CreateAnd(span.count, b.getInt64(~(group - 1)));
  llvm::Value* middle = b.CreateAdd(span.begin, whole);
  states = emit_if(b.CreateICmpNE(whole, b.getInt64(0)), true, states, [&] {
    Values initial;
    const Values neutral = initial_states(number);  // one part each, as the states
    for (size_t i = 0; i < states.size(); ++i) {
      initial.push_back(states[i]);
      for (int part = 1; part < lanes.parts; ++part) initial.push_back(neutral[i]);
    }
    return join_parts(number, loop({span.begin, middle, whole}, lanes.parts, false, initial),
                      lanes.parts);
  });
  llvm::Value* rest = here().CreateSub(span.count, whole);
  return emit_if(here().CreateICmpNE(rest, builder_.getInt64(0)), true, states,
                 [&] { return loop({middle, span.end, rest}, 1, true, states); });
}

}  // namespace nfx::jit
