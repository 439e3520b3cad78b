// Control flow. Every open scope's block already ends in its terminator, so code
// is always inserted before some instruction, at any level.
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "jit/emitter.h"
#include "jit/types.h"

namespace nfx::jit {

namespace {

// One step is known to reach the end.
bool runs_once(const llvm::Value* count, const llvm::Value* step) {
  const auto* length = llvm::dyn_cast_or_null<llvm::ConstantInt>(count);
  const auto* stride = llvm::dyn_cast<llvm::ConstantInt>(step);
  return length != nullptr && stride != nullptr && length->getSExtValue() <= stride->getSExtValue();
}

}  // namespace

void Emitter::push_scope(bool certain) {
  Scope next;
  if (!scopes_.empty()) {
    next.at = scope().at;
    next.lanes = scope().lanes;
    next.masks = scope().masks;
    next.guarded = scope().guarded;
  }
  next.certain = certain;
  scopes_.push_back(std::move(next));
}

void Emitter::pop_scope() {
  const int level = depth();
  scopes_.pop_back();
  for (LaneValue& index : indices_) {
    if (index.level == level) index = {};  // its loop is closed
  }
}

// Scopes that share a block share the place of new code.
void Emitter::redirect(llvm::Instruction* from, llvm::Instruction* to) {
  for (Scope& each : scopes_) {
    if (each.at == from) each.at = to;
  }
}

// Runs `body` where the condition holds; the results are those of the body or
// `otherwise`. `certain` says that loads may leave the body all the same.
Values Emitter::emit_if(llvm::Value* condition, bool certain,
                        llvm::ArrayRef<llvm::Value*> otherwise, Body body) {
  if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition)) {
    if (known->isZero()) return {otherwise.begin(), otherwise.end()};
    push_scope(true);
    Values results = body();
    pop_scope();
    return results;
  }
  llvm::Instruction* resume = scope().at;
  llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(condition, resume, false);
  // What the body hoists goes before the branch.
  llvm::Instruction* branch = then->getParent()->getSinglePredecessor()->getTerminator();
  redirect(resume, branch);
  push_scope(certain);
  scope().at = then;
  const Values inside = body();
  pop_scope();
  redirect(branch, resume);
  Values results;
  llvm::BasicBlock* join = resume->getParent();
  builder_.SetInsertPoint(join, join->begin());
  for (size_t i = 0; i < inside.size(); ++i) {
    llvm::PHINode* phi = builder_.CreatePHI(inside[i]->getType(), 2);
    phi->addIncoming(otherwise[i], branch->getParent());
    phi->addIncoming(inside[i], then->getParent());
    results.push_back(phi);
  }
  return results;
}

// for (index = begin; index < end; index += step), entered at least once.
Values Emitter::emit_loop(Range span, llvm::Value* step, llvm::ArrayRef<llvm::Value*> carried,
                          LoopBody body) {
  if (runs_once(span.count, step)) {
    push_scope();
    Values results = body(span.begin, carried);
    pop_scope();
    return results;
  }
  llvm::LLVMContext& context = builder_.getContext();
  llvm::Instruction* resume = scope().at;
  llvm::BasicBlock* before = resume->getParent();
  llvm::BasicBlock* after = before->splitBasicBlock(resume);
  llvm::Instruction* entry = before->getTerminator();
  llvm::BasicBlock* block = llvm::BasicBlock::Create(context, "loop", function_, after);
  entry->setSuccessor(0, block);
  auto* latch = llvm::BranchInst::Create(block, after, builder_.getTrue(), block);
  builder_.SetInsertPoint(latch);
  llvm::PHINode* index = builder_.CreatePHI(builder_.getInt64Ty(), 2);
  index->addIncoming(span.begin, before);
  llvm::SmallVector<llvm::PHINode*, 8> phis;
  for (llvm::Value* value : carried) {
    phis.push_back(builder_.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
  }
  redirect(resume, entry);
  push_scope(true);
  scope().at = latch;
  const Values next = body(index, Values(phis.begin(), phis.end()));
  builder_.SetInsertPoint(latch);
  llvm::Value* following = builder_.CreateAdd(index, step, "", true, true);
  latch->setCondition(builder_.CreateICmpSLT(following, span.end));
  index->addIncoming(following, latch->getParent());
  for (size_t i = 0; i < next.size(); ++i) phis[i]->addIncoming(next[i], latch->getParent());
  pop_scope();
  redirect(entry, resume);
  return next;
}

// The first `remaining` lanes.
llvm::Value* Emitter::tail_mask(llvm::Value* remaining, int width) {
  llvm::IRBuilder<>& b = here();
  llvm::Value* most = b.getInt64(static_cast<uint64_t>(width));
  llvm::Value* count = b.CreateSelect(b.CreateICmpSLT(remaining, most), remaining, most);
  llvm::Value* limit =
      b.CreateVectorSplat(static_cast<unsigned>(width), b.CreateTrunc(count, b.getInt32Ty()));
  return b.CreateICmpULT(iota(b.getInt32Ty(), width, 0), limit);
}

// Runs `body` for the positions of a non-empty span: whole vectors side by side,
// then single masked vectors.
void Emitter::emit_lane_loop(DimId dim, Range span, Lanes lanes, PositionBody body) {
  const int group = lanes.width * lanes.parts;
  if (lanes.scalar()) {
    emit_loop(span, builder_.getInt64(1), {}, [&](llvm::Value* index, auto) {
      set_index(dim, index, false);
      body();
      return Values{};
    });
    return;
  }
  const auto positions = [&](Range part, int parts, bool masked) {
    emit_loop(part, builder_.getInt64(static_cast<uint64_t>(lanes.width * parts)), {},
              [&](llvm::Value* index, auto) {
                scope().lanes = {lanes.width, parts};
                set_index(dim, index, true);
                if (masked) {
                  scope().masks = {tail_mask(here().CreateSub(span.end, index), lanes.width)};
                }
                body();
                return Values{};
              });
    return Values{};
  };
  llvm::IRBuilder<>& b = here();
  llvm::Value* whole = b.CreateAnd(span.count, b.getInt64(~static_cast<uint64_t>(group - 1)));
  llvm::Value* middle = b.CreateAdd(span.begin, whole);
  llvm::Value* rest = b.CreateSub(span.count, whole);
  emit_if(b.CreateICmpNE(whole, b.getInt64(0)), true, {},
          [&] { return positions({span.begin, middle, whole}, lanes.parts, false); });
  emit_if(here().CreateICmpNE(rest, builder_.getInt64(0)), true, {},
          [&] { return positions({middle, span.end, rest}, 1, true); });
}

}  // namespace nfx::jit
