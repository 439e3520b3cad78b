#include "compiler/plan_lowering.h"

namespace nfx {

void PlanLowering::find_used_values() {
  used_.assign(values_.size(), false);
  for (const Node node : graph_.nodes()) {
    if (value_of(node).index >= 0) continue;  // a projection: its own users count
    for (uint32_t i = 0; i < node.num_operands(); ++i) {
      const ValueId value = values_.of(node.operand(i));
      if (value != kNoValue) used_[value] = true;
    }
  }
}

ResultTarget PlanLowering::result_target(ValueId value, bool wanted) {
  const Type& type = values_.type(value);
  const Node node = values_.producer(value);
  if (type.kind == TypeKind::kScalar) {
    NumberId number = type.expr ? numbers_.define(type.expr) : kNoIndex;
    if (number == kNoIndex) number = numbers_.fresh();
    number_of_value_[value] = number;
    return ResultTarget{ResultTarget::Kind::kNumber, number, type.dtype == Dtype::kFloat64};
  }
  if (type.kind != TypeKind::kTensor && type.kind != TypeKind::kUnknown) return ResultTarget{};
  if (!wanted) return ResultTarget{};
  const SlotId slot = add_slot({.kind = SlotKind::kResult}, type, node);
  slot_of_value_[value] = slot;
  has_handle_[slot] = true;
  use(slot);
  for (const ValueId shared : memory_.may_share(value)) {
    if (slot_of_value_[shared] != kNoIndex) may_share_[slot].push_back(slot_of_value_[shared]);
  }
  return ResultTarget{ResultTarget::Kind::kTensor, slot};
}

std::vector<ResultTarget> PlanLowering::result_targets(Node node) {
  numbers_.next_phase();
  const bool tuple = values_.is_tuple(node);
  std::vector<ResultTarget> targets;
  std::vector<SymbolSource> symbols;
  for (uint32_t i = 0; i < values_.count(node); ++i) {
    const ValueId value = values_.of(node, tuple ? static_cast<int32_t>(i) : -1);
    const Type& type = values_.type(value);
    // The symbols first: the shape of the result's slot is made of them.
    const size_t known = symbols.size();
    if (type.kind == TypeKind::kTensor) {
      lower_tensor_symbols(static_cast<SlotId>(plan_->slots.size()), type, symbols);
    }
    targets.push_back(result_target(value, used_[value] || symbols.size() > known));
  }
  if (numbers_.symbols_of_phase(numbers_.phase()).empty()) {
    numbers_.cancel_phase();
  } else {
    BindStep bind{.symbols = std::move(symbols)};
    for (const ResultTarget& target : targets) {
      if (target.kind == ResultTarget::Kind::kTensor) {
        bind.results.push_back(target.target);
        plan_->slots[target.target].late_shape = true;
      }
    }
    plan_->binds.push_back(std::move(bind));
    bind_pending_ = true;
  }
  return targets;
}

void PlanLowering::place_bind() {
  if (!bind_pending_) return;
  bind_pending_ = false;
  const auto index = static_cast<uint32_t>(plan_->binds.size() - 1);
  for (const SlotId slot : plan_->binds[index].results) use(slot);
  add_step(StepKind::kBind, index);
}

Result<ExternalCall> PlanLowering::external_call(Node node) {
  ExternalCall call{.name = std::string(node.name())};
  for (uint32_t i = 0; i < node.num_operands(); ++i) {
    const ValueId value = values_.of(node.operand(i));
    if (value == kNoValue) return unsupported_node(node.operand(i), "a tuple is an argument");
    const Type& type = values_.type(value);
    ExternalOperand operand;
    if (type.kind == TypeKind::kScalar) {
      NFX_ASSIGN(operand.source, number_of(value));
      operand.kind = type.dtype == Dtype::kFloat64 ? StepValue::Kind::kFloat
                     : type.dtype == Dtype::kBool  ? StepValue::Kind::kBool
                                                   : StepValue::Kind::kInt;
    } else if (type.kind == TypeKind::kTensor || slot_of_value_[value] != kNoIndex) {
      NFX_ASSIGN(operand.source, slot_with_handle(value));
      use(operand.source);
      operand.kind = StepValue::Kind::kTensor;
    }
    call.operands.push_back(operand);
  }
  NFX_ASSIGN(call.step, hooks_.interpret(node));
  return call;
}

Status PlanLowering::lower_external(Node node) {
  if (!hooks_.interpret) return unsupported_node(node, "there is no interpreter to run it");
  NFX_TRY(mark_written(node));
  NFX_ASSIGN(ExternalCall call, external_call(node));
  call.results = result_targets(node);
  add_step(StepKind::kExternal, static_cast<uint32_t>(plan_->external.size()));
  plan_->external.push_back(std::move(call));
  place_bind();
  return success();
}

}  // namespace nfx
