// Rows: a range of work items is decoded once and then counted up.
#include "jit/emitter.h"
#include "jit/types.h"

namespace nfx::jit {
namespace {

// Every expression that is computed for itself.
std::vector<ExprId> all_roots(const ScheduledKernel& scheduled) {
  std::vector<ExprId> roots;
  const auto add = [&](const std::vector<ExprId>& more) {
    roots.insert(roots.end(), more.begin(), more.end());
  };
  for (const Stage& stage : scheduled.kernel.stages) {
    add(stage_roots(stage));
    for (const Reduction& reduction : stage.reductions) {
      add(reduction.merge);
      add(reduction.finish);
    }
  }
  for (const StageTile& tile : scheduled.tiles) add(tile.values);
  for (const std::vector<Store>& stores : scheduled.early) {
    Stage alone;
    alone.stores = stores;
    add(stage_roots(alone));
  }
  return roots;
}

}  // namespace

Emitter::Emitter(const ScheduledKernel& scheduled, const Target& target, llvm::Function* function)
    : kernel_(scheduled.kernel),
      schedule_(scheduled.schedule),
      scratch_(scheduled.scratch),
      tiles_(scheduled.tiles),
      early_(scheduled.early),
      target_(target),
      function_(function),
      builder_(function->getContext()),
      math_(builder_, target.has_scale),
      plan_(plan_lanes(scheduled, target)),
      indices_(kernel_.dims.size()),
      uses_(kernel_.exprs.size(), 0),
      written_(kernel_.buffers.size(), false) {
  for (const Stage& stage : kernel_.stages) {
    for (const Store& store : stage.stores) written_[store.buffer] = true;
  }
  for (const std::vector<Store>& stores : early_) {
    for (const Store& store : stores) written_[store.buffer] = true;
  }
  const std::vector<ExprId> roots = all_roots(scheduled);
  for (ExprId root : roots) ++uses_[root];
  for (ExprId id : reachable(kernel_, roots)) {
    for (ExprId operand : kernel_.exprs[id].operands) {
      if (operand != kNoExpr) ++uses_[operand];
    }
  }
  reduced_.resize(nfx::first_reduction(kernel_, kernel_.stages.size()));
}

// Scratch memory is the function's own.
void Emitter::read_parameters() {
  llvm::LLVMContext& context = function_->getContext();
  const size_t given = kernel_.buffers.size() - scratch_.size();
  for (size_t i = 0; i < given; ++i) {
    llvm::Value* slot = builder_.CreateConstGEP1_64(builder_.getPtrTy(), function_->getArg(0), i);
    buffers_.push_back(builder_.CreateLoad(builder_.getPtrTy(), slot));
  }
  for (size_t i = 0; i < scratch_.size(); ++i) {
    llvm::Type* element = memory_type(context, kernel_.buffers[given + i].dtype);
    buffers_.push_back(stack_memory(builder_, element, scratch_[i]));
  }
  for (size_t i = 0; i < kernel_.scalars.size(); ++i) {
    llvm::Type* type = register_type(context, kernel_.scalars[i]);
    llvm::Value* slot = builder_.CreateConstGEP1_64(builder_.getInt64Ty(), function_->getArg(1), i);
    scalars_.push_back(builder_.CreateLoad(type, slot));
  }
}

void Emitter::emit_kernel() {
  llvm::LLVMContext& context = function_->getContext();
  llvm::BasicBlock* entry = llvm::BasicBlock::Create(context, "entry", function_);
  builder_.SetInsertPoint(entry);
  llvm::Instruction* leave = builder_.CreateRetVoid();
  builder_.SetInsertPoint(leave);
  read_parameters();
  push_scope();
  scope().at = leave;
  llvm::Value* begin = function_->getArg(2);
  llvm::Value* end = function_->getArg(3);
  emit_if(builder_.CreateICmpSLT(begin, end), false, {}, [&] {
    emit_rows(begin, end);
    return Values{};
  });
  pop_scope();
}

// Number of blocks of the last row dimension.
llvm::Value* Emitter::row_blocks() {
  llvm::Value* block = builder_.getInt64(static_cast<uint64_t>(schedule_.row_block));
  llvm::Value* up = builder_.getInt64(static_cast<uint64_t>(schedule_.row_block - 1));
  return builder_.CreateUDiv(builder_.CreateAdd(extent(plan_.row_dim), up), block);
}

// Positions of the row dimensions (blocks for the last one, with lanes along it).
Values Emitter::decode_rows(llvm::Value* item) {
  Values positions(kernel_.row_dims.size(), builder_.getInt64(0));
  for (size_t k = kernel_.row_dims.size(); k-- > 0;) {
    if (k == 0) {
      positions[k] = item;
      break;
    }
    const bool blocks = k + 1 == kernel_.row_dims.size() && plan_.row_dim != kNoDim;
    llvm::IRBuilder<>& b = here();
    llvm::Value* count = blocks ? row_blocks() : extent(kernel_.row_dims[k]);
    positions[k] = b.CreateURem(item, count);
    item = b.CreateUDiv(item, count);
  }
  return positions;
}

Values Emitter::next_rows(llvm::ArrayRef<llvm::Value*> positions) {
  Values next(positions.begin(), positions.end());
  llvm::IRBuilder<>& b = here();
  llvm::Value* carry = b.getInt64(1);
  for (size_t k = positions.size(); k-- > 0;) {
    llvm::Value* moved = b.CreateAdd(positions[k], carry);
    next[k] = moved;
    if (k == 0) break;
    const bool blocks = k + 1 == positions.size() && plan_.row_dim != kNoDim;
    llvm::Value* full = b.CreateICmpEQ(moved, blocks ? row_blocks() : extent(kernel_.row_dims[k]));
    next[k] = b.CreateSelect(full, b.getInt64(0), moved);
    carry = b.CreateZExt(full, b.getInt64Ty());
  }
  return next;
}

void Emitter::emit_rows(llvm::Value* begin, llvm::Value* end) {
  const Values first = decode_rows(begin);
  emit_loop({begin, end, nullptr}, builder_.getInt64(1), first,
            [&](llvm::Value*, llvm::ArrayRef<llvm::Value*> positions) {
              const bool lanes = plan_.row_dim != kNoDim;
              for (size_t k = 0; k + (lanes ? 1 : 0) < positions.size(); ++k) {
                set_index(kernel_.row_dims[k], positions[k], false);
              }
              if (lanes) {
                emit_row_block(positions.back());
              } else {
                emit_stages(0, kernel_.stages.size());
              }
              return next_rows(positions);
            });
}

// Stages before the first that differs between lanes run once for all of them.
size_t Emitter::leading_uniform_stages() const {
  size_t count = 0;
  for (; count < kernel_.stages.size(); ++count) {
    const Stage& stage = kernel_.stages[count];
    if (!early_[count].empty()) return count;
    for (ExprId root : stage_roots(stage)) {
      if (plan_.row_variance.exprs[root]) return count;
    }
    if (!stage.stores.empty()) return count;
  }
  return count;
}

void Emitter::emit_row_block(llvm::Value* block) {
  const size_t uniform_stages = leading_uniform_stages();
  emit_stages(0, uniform_stages);
  llvm::IRBuilder<>& b = here();
  llvm::Value* size = b.getInt64(static_cast<uint64_t>(schedule_.row_block));
  const Extent& known = kernel_.dims[plan_.row_dim].extent;
  llvm::Value* total = extent(plan_.row_dim);
  Range span{b.getInt64(0), total, total};
  if (known.scalar >= 0 || known.constant > schedule_.row_block) {
    span.begin = b.CreateMul(block, size);
    span.end = b.CreateAdd(span.begin, size);
    span.count = size;
    if (known.scalar >= 0 || known.constant % schedule_.row_block != 0) {
      span.end = b.CreateSelect(b.CreateICmpSLT(span.end, total), span.end, total);
      span.count = b.CreateSub(span.end, span.begin);
    }
  }
  emit_lane_loop(plan_.row_dim, span, plan_.row_lanes,
                 [&] { emit_stages(uniform_stages, kernel_.stages.size()); });
}

void Emitter::emit_stages(size_t first, size_t last) {
  for (size_t stage = first; stage < last; ++stage) emit_stage(stage);
}

}  // namespace nfx::jit
