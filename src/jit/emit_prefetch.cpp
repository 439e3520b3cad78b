// Rows that a ragged loop will gather are prefetched some positions ahead, over
// the ends of segments: most segments are shorter than the distance.
#include <algorithm>

#include "jit/emitter.h"
#include "jit/types.h"

namespace nfx::jit {
namespace {

// Whether the address depends on something loaded for the position in `dim`.
bool is_gather(const Kernel& kernel, ExprId id, DimId dim) {
  std::vector<bool> depends(kernel.exprs.size(), false);
  for (ExprId each : reachable(kernel, {id})) {
    const ExprNode& node = kernel.exprs[each];
    bool found = node.op == ExprOp::kIndex && node.payload == dim;
    for (ExprId operand : node.operands) {
      if (operand != kNoExpr) found = found || depends[operand];
    }
    depends[each] = found;
    if (found && node.op == ExprOp::kLoad) return true;
  }
  return false;
}

}  // namespace

// Whether the address needs only rows, open loops and memory that is never written.
bool Emitter::is_known_ahead(ExprId id) const {
  for (ExprId each : reachable(kernel_, {id})) {
    const ExprNode& node = kernel_.exprs[each];
    if (node.op == ExprOp::kState || node.op == ExprOp::kReduced) return false;
    if (node.op == ExprOp::kIndex && indices_[node.payload].parts.empty()) return false;
    if (node.op != ExprOp::kLoad) continue;
    if (node.operands[1] != kNoExpr || written_[node.payload]) return false;
  }
  return true;
}

void Emitter::prefetch_rows(size_t stage, DimId dim) {
  const int distance = stage < schedule_.stages.size() ? schedule_.stages[stage].prefetch : 0;
  if (distance <= 0 || kernel_.dims[dim].kind != Dim::Kind::kRagged) return;
  std::vector<ExprId> loads;
  for (ExprId id : reachable(kernel_, stage_roots(kernel_.stages[stage]))) {
    const ExprNode& node = kernel_.exprs[id];
    if (node.op != ExprOp::kLoad || node.operands[1] != kNoExpr) continue;
    if (is_gather(kernel_, node.operands[0], dim) && is_known_ahead(node.operands[0])) {
      loads.push_back(id);
    }
  }
  std::erase_if(loads, [&](ExprId id) { return is_fetched_before(stage, id); });
  if (!loads.empty()) prefetch_at(dim, distance, loads);
}

// Whether the rows of this segment have come into the cache already.
bool Emitter::is_fetched_before(size_t stage, ExprId load) const {
  for (size_t earlier = 0; earlier < stage; ++earlier) {
    const std::vector<ExprId> seen = reachable(kernel_, stage_roots(kernel_.stages[earlier]));
    if (std::binary_search(seen.begin(), seen.end(), load)) return true;
  }
  return false;
}

// Index buffers are read up to the end of the last segment only.
llvm::Value* Emitter::position_ahead(DimId dim, int distance) {
  const Dim& space = kernel_.dims[dim];
  llvm::IRBuilder<>& outside = at(std::max(0, load_level(space.offsets)));
  llvm::Value* end = outside.CreateAlignedLoad(
      outside.getInt64Ty(), element_address(space.offsets, extent(space.parent)), llvm::Align(8));
  llvm::Value* last = outside.CreateSub(end, outside.getInt64(1));
  llvm::IRBuilder<>& b = here();
  llvm::Value* ahead =
      b.CreateAdd(indices_[dim].scalar(), b.getInt64(static_cast<uint64_t>(distance)));
  return b.CreateSelect(b.CreateICmpSLT(ahead, last), ahead, last);
}

void Emitter::prefetch_at(DimId dim, int distance, llvm::ArrayRef<ExprId> loads) {
  llvm::Value* ahead = position_ahead(dim, distance);
  const LaneValue current = indices_[dim];
  push_scope();
  set_index(dim, ahead, false);
  for (ExprId load : loads) prefetch_address(kernel_.exprs[load]);
  pop_scope();
  indices_[dim] = current;
}

// Whole rows, since the stage reads them in parts.
void Emitter::prefetch_tile_rows(size_t stage) {
  const StageTile& tile = tiles_[stage];
  const int distance = schedule_.stages[stage].prefetch;
  if (distance <= 0 || kernel_.dims[tile.dim].kind != Dim::Kind::kRagged) return;
  const LaneValue current = indices_[tile.dim];
  push_scope();
  for (const TilePrefetch& row : tile.prefetch) {
    if (!is_known_ahead(row.offset)) continue;
    set_index(tile.dim, position_ahead(tile.dim, distance), false);
    const LaneValue offset = eval(row.offset);
    here();
    prefetch_lines(element_address(row.buffer, offset.scalar()), row.bytes);
  }
  pop_scope();
  indices_[tile.dim] = current;
}

void Emitter::prefetch_address(const ExprNode& load) {
  const LaneValue offset = eval(load.operands[0]);
  if (offset.kind == LaneValue::Kind::kVector) return;
  const auto buffer = static_cast<BufferId>(load.payload);
  const Lanes lanes = scope().lanes;
  const int bytes = dtype_size(load.dtype) * (offset.uniform() ? 1 : lanes.width * lanes.parts);
  here();
  prefetch_lines(element_address(buffer, offset.scalar()), bytes);
}

void Emitter::prefetch_lines(llvm::Value* address, int64_t bytes) {
  llvm::IRBuilder<>& b = here();
  constexpr int64_t kLine = 64;
  for (int64_t byte = 0; byte < bytes; byte += kLine) {
    llvm::Value* line = b.CreateConstGEP1_64(b.getInt8Ty(), address, static_cast<uint64_t>(byte));
    b.CreateIntrinsic(llvm::Intrinsic::prefetch, {b.getPtrTy()},
                      {line, b.getInt32(0), b.getInt32(3), b.getInt32(1)});
  }
}

}  // namespace nfx::jit
