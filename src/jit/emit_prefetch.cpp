// Rows that a ragged loop will gather are prefetched some positions ahead, over
// the ends of segments: most segments are shorter than the distance.
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
  if (!loads.empty()) prefetch_at(dim, distance, loads);
}

// Index buffers are read up to the end of the last segment only.
void Emitter::prefetch_at(DimId dim, int distance, llvm::ArrayRef<ExprId> loads) {
  const Dim& space = kernel_.dims[dim];
  llvm::IRBuilder<>& outside = at(std::max(0, load_level(space.offsets)));
  llvm::Value* end = outside.CreateAlignedLoad(
      outside.getInt64Ty(), element_address(space.offsets, extent(space.parent)), llvm::Align(8));
  llvm::Value* last = outside.CreateSub(end, outside.getInt64(1));
  llvm::IRBuilder<>& b = here();
  llvm::Value* ahead =
      b.CreateAdd(indices_[dim].scalar(), b.getInt64(static_cast<uint64_t>(distance)));
  ahead = b.CreateSelect(b.CreateICmpSLT(ahead, last), ahead, last);
  const LaneValue current = indices_[dim];
  push_scope();
  set_index(dim, ahead, false);
  for (ExprId load : loads) prefetch_address(kernel_.exprs[load]);
  pop_scope();
  indices_[dim] = current;
}

void Emitter::prefetch_address(const ExprNode& load) {
  const LaneValue offset = eval(load.operands[0]);
  if (offset.kind == LaneValue::Kind::kVector) return;
  const auto buffer = static_cast<BufferId>(load.payload);
  const Lanes lanes = scope().lanes;
  const int bytes = dtype_size(load.dtype) * (offset.uniform() ? 1 : lanes.width * lanes.parts);
  llvm::IRBuilder<>& b = here();
  llvm::Value* address = element_address(buffer, offset.scalar());
  constexpr int kLine = 64;
  for (int byte = 0; byte < bytes; byte += kLine) {
    llvm::Value* line = b.CreateConstGEP1_64(b.getInt8Ty(), address, static_cast<uint64_t>(byte));
    b.CreateIntrinsic(llvm::Intrinsic::prefetch, {b.getPtrTy()},
                      {line, b.getInt32(0), b.getInt32(3), b.getInt32(1)});
  }
}

}  // namespace nfx::jit
