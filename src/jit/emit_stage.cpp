// A stage: its map loops, and for each of their positions the reductions and
// then the stores.
#include <algorithm>

#include "jit/emitter.h"

namespace nfx::jit {
llvm::Value* Emitter::extent(DimId dim) {
  const Extent& extent = kernel_.dims[dim].extent;
  if (extent.scalar < 0) return builder_.getInt64(static_cast<uint64_t>(extent.constant));
  return scalars_[static_cast<size_t>(extent.scalar)];
}

// Offsets are read where their row's position is known, whether or not the
// segment turns out empty.
Range Emitter::range(DimId dim) {
  const Dim& space = kernel_.dims[dim];
  if (space.kind == Dim::Kind::kDense) {
    return {builder_.getInt64(0), extent(dim), extent(dim)};
  }
  const LaneValue parent = indices_[space.parent];
  assert(parent.uniform() && "lanes do not run along the parent of a ragged dimension");
  for (int level = depth(); level >= 0; --level) {
    const auto& known = scopes_[static_cast<size_t>(level)].ranges;
    if (auto found = known.find(dim); found != known.end()) return found->second;
  }
  const int level = std::max(parent.level, load_level(space.offsets));
  llvm::IRBuilder<>& b = at(level);
  const auto read = [&](llvm::Value* position) -> llvm::Value* {
    return b.CreateAlignedLoad(b.getInt64Ty(), element_address(space.offsets, position),
                               llvm::Align(8));
  };
  Range span;
  span.begin = read(parent.scalar());
  span.end = read(b.CreateAdd(parent.scalar(), b.getInt64(1)));
  span.count = b.CreateSub(span.end, span.begin);
  scopes_[static_cast<size_t>(level)].ranges[dim] = span;
  return span;
}

llvm::Value* Emitter::all_nonempty(llvm::ArrayRef<DimId> dims) {
  llvm::Value* all = builder_.getTrue();
  for (DimId dim : dims) {
    const Range span = range(dim);
    llvm::IRBuilder<>& b = here();
    all = b.CreateAnd(all, b.CreateICmpSGT(span.count, b.getInt64(0)));
  }
  return all;
}

void Emitter::set_index(DimId dim, llvm::Value* position, bool lanes) {
  LaneValue value = uniform(position, depth());
  if (lanes) {
    value.kind = LaneValue::Kind::kAffine;
    value.stride = builder_.getInt64(1);
  }
  indices_[dim] = value;
}

void Emitter::emit_stage(size_t number) {
  const Stage& stage = kernel_.stages[number];
  push_scope();
  stage_level_ = depth();
  if (stage.map_dims.empty()) {
    emit_position(number);
  } else {
    emit_if(all_nonempty(stage.map_dims), false, {}, [&] {
      emit_map_loops(number, 0);
      return Values{};
    });
  }
  pop_scope();
}

void Emitter::emit_map_loops(size_t number, size_t level) {
  const Stage& stage = kernel_.stages[number];
  const StagePlan& plan = plan_.stages[number];
  if (level == stage.map_dims.size()) return emit_position(number);
  const DimId dim = loop_order(stage.map_dims, plan.dim)[level];
  const Range span = range(dim);
  if (dim == plan.dim) {
    emit_lane_loop(dim, span, plan.lanes, [&] { emit_position(number); });
    return;
  }
  emit_loop(span, builder_.getInt64(1), {}, [&](llvm::Value* index, auto) {
    set_index(dim, index, false);
    prefetch_rows(number, dim);
    emit_map_loops(number, level + 1);
    return Values{};
  });
}

void Emitter::emit_position(size_t number) {
  emit_reductions(number);
  for (const Store& store : kernel_.stages[number].stores) emit_store(store);
}

}  // namespace nfx::jit
