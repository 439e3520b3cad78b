#include <algorithm>

#include "compiler/plan_lowering.h"

namespace nfx {
namespace {

SymExprId element_count(Context& context, const Type& type) {
  SymExprId count = sym_int(context, 1);
  for (const SymExprId size : type.sizes) count = sym_mul(context, count, size);
  return count;
}

}  // namespace

Status PlanLowering::lower_kernel_buffer(const FusedKernel& fused, size_t index, KernelStep& step) {
  const KernelOperand& operand = fused.buffers[index];
  const ValueId value = values_.of(operand.node, operand.result);
  const ValueId root = value == kNoValue ? kNoValue : memory_.root(value);
  if (root == kNoValue) return unsupported_node(operand.node, "a kernel reads a tuple");
  const bool written = fused.kernel.buffers[index].use != BufferUse::kIn;
  if (slot_of_value_[root] == kNoIndex) {
    if (!written) return unsupported_node(operand.node, "a kernel reads what is not in memory");
    make_memory(root, operand.node);
  }
  const SlotId slot = slot_of_value_[root];
  plan_->slots[slot].needs_data = true;
  if (!written) want_layout(slot);
  step.buffers.push_back({slot, root == value ? kNoIndex : view_offset(value, root)});
  return success();
}

Result<IndexBound> PlanLowering::index_bound(const FusedKernel::Bound& bound) {
  const ValueId value = values_.of(bound.index);
  const ValueId root = value == kNoValue ? kNoValue : memory_.root(value);
  if (root == kNoValue || slot_of_value_[root] == kNoIndex) {
    return unsupported_node(bound.index, "a kernel reads at positions that are not in memory");
  }
  const SlotId slot = slot_of_value_[root];
  plan_->slots[slot].needs_data = true;
  want_layout(slot);
  use(slot);
  const Type& type = values_.type(value);
  IndexBound made{.index = {slot, root == value ? kNoIndex : view_offset(value, root)},
                  .dtype = type.dtype};
  for (const SymExprId size : type.sizes) made.sizes.push_back(numbers_.number(size));
  for (const SymExprId stride : type.strides) made.strides.push_back(numbers_.number(stride));
  made.limit = numbers_.number(bound.size);
  made.negative = bound.negative;
  made.reader = bound.reader.target();
  return made;
}

Result<NumberId> PlanLowering::kernel_scalar(const FusedKernel::Scalar& scalar) {
  if (!scalar.node) return numbers_.number(scalar.expr);
  const ValueId value = values_.of(scalar.node);
  if (value == kNoValue) return unsupported_node(scalar.node, "a kernel reads a tuple");
  return number_of(value);
}

// The most elements that one of its buffers has.
NumberId PlanLowering::kernel_work(const FusedKernel& fused) {
  std::vector<SymExprId> counts;
  for (const KernelOperand& operand : fused.buffers) {
    const ValueId value = values_.of(operand.node, operand.result);
    counts.push_back(element_count(context_, values_.type(value)));
  }
  if (counts.empty()) return numbers_.constant(0);
  return numbers_.number(sym(context_, SymOp::kMax, counts));
}

Status PlanLowering::lower_kernel(int32_t index) {
  const FusedKernel& fused = fusion_->kernels[static_cast<size_t>(index)];
  KernelStep step{.code = code_[static_cast<size_t>(index)], .kernel = fused.kernel};
  step.name = fused.kernel.name;
  for (size_t i = 0; i < fused.buffers.size(); ++i) NFX_TRY(lower_kernel_buffer(fused, i, step));
  for (const FusedKernel::Scalar& scalar : fused.scalars) {
    NFX_ASSIGN(const NumberId number, kernel_scalar(scalar));
    step.scalars.push_back(number);
  }
  for (const FusedKernel::Bound& bound : fused.bounds) {
    NFX_ASSIGN(IndexBound made, index_bound(bound));
    step.bounds.push_back(std::move(made));
  }
  step.work = kernel_work(fused);
  for (const KernelBufferRef& buffer : step.buffers) use(buffer.slot);
  plan_->max_kernel_buffers =
      std::max(plan_->max_kernel_buffers, static_cast<uint32_t>(step.buffers.size()));
  plan_->max_kernel_scalars =
      std::max(plan_->max_kernel_scalars, static_cast<uint32_t>(step.scalars.size()));
  add_step(StepKind::kKernel, static_cast<uint32_t>(plan_->kernels.size()));
  plan_->kernels.push_back(std::move(step));
  return success();
}

}  // namespace nfx
