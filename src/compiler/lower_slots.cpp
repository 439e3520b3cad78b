#include <bit>

#include "compiler/plan_lowering.h"
#include "runtime/memory_pool.h"

namespace nfx {
namespace {

bool is_strided(const Type& type) {
  return type.kind == TypeKind::kTensor && type.layout == Layout::kStrided &&
         type.strides.size() == type.sizes.size();
}

// Bytes from the first element to behind the last, for strides that are not
// negative; 0 without elements is not needed, one element more does no harm.
SymExprId extent_bytes(Context& context, const Type& type) {
  const SymExprId one = sym_int(context, 1);
  SymExprId elements = one;
  for (size_t i = 0; i < type.rank(); ++i) {
    const SymExprId last = sym_sub(context, type.sizes[i], one);
    elements = sym_add(context, elements, sym_mul(context, last, type.strides[i]));
  }
  return sym_mul(context, elements, sym_int(context, dtype_size(type.dtype)));
}

}  // namespace

bool PlanLowering::has_own_memory(SymExprId bytes) const {
  const std::optional<int64_t> known = as_int(context_, bytes);
  return own_memory_ && (!known || *known >= MemoryPool::kSmallest);
}

SlotId PlanLowering::make_memory(ValueId root, Node node) {
  const Type& type = values_.type(root);
  const SymExprId bytes = extent_bytes(context_, type);
  const bool placed =
      !memory_.escapes(root) && numbers_.phase_of(bytes) == 0 && !has_own_memory(bytes);
  Slot slot{.kind = placed ? SlotKind::kArena : SlotKind::kFresh};
  if (placed) {
    slot.bytes = numbers_.number(bytes);
    slot.arena_index = static_cast<uint32_t>(plan_->arena.size());
  }
  const SlotId id = slot_of_value_[root] = add_slot(std::move(slot), type, node);
  if (placed) {
    plan_->arena.push_back({.slot = id});
  } else {
    add_preparation(StepKind::kAllocate, id);
  }
  return id;
}

SlotId PlanLowering::add_slot(Slot slot, const Type& type, Node node) {
  const auto id = static_cast<SlotId>(plan_->slots.size());
  slot.name = node.name();
  slot.dtype = type.dtype;
  slot.rank = static_cast<uint32_t>(type.rank());
  if (is_strided(type)) slot.shape = numbers_.shape(type.sizes, type.strides);
  plan_->slots.push_back(std::move(slot));
  has_handle_.push_back(false);
  may_share_.emplace_back();
  first_use_.push_back(kNoIndex);
  last_use_.push_back(kNoIndex);
  return id;
}

void PlanLowering::touch(SlotId slot) {
  const auto step = static_cast<uint32_t>(plan_->steps.size());
  if (first_use_[slot] == kNoIndex) first_use_[slot] = step;
  last_use_[slot] = step;
  if (plan_->slots[slot].kind == SlotKind::kView) touch(plan_->slots[slot].base);
}

void PlanLowering::add_step(StepKind kind, uint32_t index) {
  for (const SlotId slot : uses_) touch(slot);
  uses_.clear();
  plan_->steps.push_back({kind, index});
}

void PlanLowering::add_preparation(StepKind kind, SlotId slot) {
  touch(slot);
  plan_->steps.push_back({kind, slot});
  has_handle_[slot] = true;
}

Result<SlotId> PlanLowering::slot_of(ValueId value) {
  if (slot_of_value_[value] != kNoIndex) return slot_of_value_[value];
  const ValueId root = memory_.root(value);
  if (root == value || slot_of_value_[root] == kNoIndex) {
    return unsupported_node(values_.producer(value), "its value is not in memory");
  }
  return view_slot(value, slot_of_value_[root]);
}

NumberId PlanLowering::view_offset(ValueId value, ValueId root) {
  const Type& type = values_.type(value);
  const SymExprId zero = sym_int(context_, 0);
  const auto start = [&](const Type& of) { return of.storage_offset ? of.storage_offset : zero; };
  const SymExprId elements = sym_sub(context_, start(type), start(values_.type(root)));
  const SymExprId size = sym_int(context_, dtype_size(type.dtype));
  return numbers_.number(sym_mul(context_, elements, size));
}

Result<SlotId> PlanLowering::view_slot(ValueId value, SlotId base) {
  want_layout(base);
  Slot slot{.kind = SlotKind::kView};
  slot.base = base;
  slot.offset = view_offset(value, memory_.root(value));
  slot_of_value_[value] = add_slot(std::move(slot), values_.type(value), values_.producer(value));
  if (!has_shape(slot_of_value_[value])) {
    return unsupported_node(values_.producer(value), "the strides of a view are not known");
  }
  return slot_of_value_[value];
}

Status PlanLowering::mark_written(Node node) {
  for (const ValueId written : memory_.written(node)) {
    NFX_ASSIGN(const SlotId slot, slot_of(written));
    plan_->slots[slot].mutated = true;
  }
  return success();
}

Result<SlotId> PlanLowering::slot_with_handle(ValueId value) {
  NFX_ASSIGN(const SlotId slot, slot_of(value));
  if (has_handle_[slot]) return slot;
  add_preparation(StepKind::kView, slot);
  return slot;
}

Result<NumberId> PlanLowering::number_of(ValueId value) {
  if (number_of_value_[value] != kNoIndex) return number_of_value_[value];
  const Type& type = values_.type(value);
  if (type.kind != TypeKind::kScalar || !type.expr || !numbers_.is_known(type.expr)) {
    return unsupported_node(values_.producer(value), "its number is not known when it is needed");
  }
  SymExprId expr = type.expr;
  if (type.dtype == Dtype::kFloat64 && sym_node(context_, expr).kind != SymKind::kFloat) {
    expr = sym(context_, SymOp::kToFloat, {&expr, 1});
  }
  return number_of_value_[value] = numbers_.number(expr);
}

}  // namespace nfx
