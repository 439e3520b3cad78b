#include <algorithm>

#include "compiler/call_arguments.h"
#include "compiler/plan_lowering.h"

namespace nfx {
namespace {

using Target = ArgPatch::Target;

Target number_target(Dtype dtype) {
  if (dtype == Dtype::kFloat64) return Target::kFloat;
  return dtype == Dtype::kBool ? Target::kBool : Target::kInt;
}

bool is_plain(const Context& context, const Type& type) {
  return type.kind == TypeKind::kTensor && type.layout == Layout::kStrided &&
         is_floating(type.dtype) && context.text(type.device) == "cpu";
}

bool is_list(ArgumentView argument) {
  const ArgKind kind = argument.kind();
  return kind == ArgKind::kTuple || kind == ArgKind::kList || kind == ArgKind::kSize;
}

}  // namespace

// Whether the result can be written into memory of the plan: plain floating
// tensors, and sizes that are known before the call.
bool PlanLowering::can_write(const AtenCall& call, Node node) const {
  const ValueId value = values_.of(node);
  if (!call.can_write() || value == kNoValue || !used_[value]) return false;
  const Type& type = values_.type(value);
  if (!is_plain(context_, type) || type.strides.size() != type.sizes.size()) return false;
  for (uint32_t i = 0; i < node.num_operands(); ++i) {
    if (!is_plain(context_, node.operand(i).type())) return false;
  }
  const auto known = [&](SymExprId expr) { return numbers_.is_known(expr); };
  return std::ranges::all_of(type.sizes, known) && std::ranges::all_of(type.strides, known);
}

Status PlanLowering::lower_aten(Node node) {
  NFX_TRY(mark_written(node));
  AtenStep step{.call = std::move(*runners_.of(node).call)};
  step.name = node.name();
  const std::vector<AtenArg> defaults = step.call.default_args();
  step.first_arg = static_cast<uint32_t>(plan_->args.size());
  plan_->args.insert(plan_->args.end(), defaults.begin(), defaults.end());
  const Schema& schema = step.call.schema();
  for (size_t i = 0; i < schema.args.size(); ++i) {
    const ArgumentView argument = call_argument(node, schema, i);
    if (argument) NFX_TRY(lower_argument(step, i, argument));
  }
  if (step.call.path() == AtenPath::kShim && hooks_.interpret) {
    NFX_ASSIGN(ExternalCall call, external_call(node));
    step.python = std::make_unique<ExternalCall>(std::move(call));
  }
  if (can_write(step.call, node)) {
    make_memory(values_.of(node), node);
    NFX_ASSIGN(step.out, slot_with_handle(values_.of(node)));
    use(step.out);
    step.python.reset();
  } else {
    step.results = result_targets(node);
  }
  if (step.python) step.python->results = step.results;
  step.list_result = schema.results.size() == 1 && schema.results[0].type.list;
  plan_->max_results =
      std::max(plan_->max_results, static_cast<uint32_t>(step.call.result_count()));
  add_step(StepKind::kAten, static_cast<uint32_t>(plan_->aten.size()));
  plan_->aten.push_back(std::move(step));
  place_bind();
  return success();
}

Status PlanLowering::lower_argument(AtenStep& step, size_t position, ArgumentView argument) {
  if (is_list(argument)) return lower_list(step, position, argument);
  AtenArg& place = plan_->args[step.first_arg + position];
  if (argument.is_node()) return lower_operand(step, position, argument.node());
  if (argument.kind() == ArgKind::kSym) {
    step.patches.push_back(
        {Target::kInt, static_cast<uint32_t>(position), numbers_.number(argument.arg().sym)});
    return success();
  }
  const std::optional<AtenArg> constant = constant_argument(context_, argument.arg());
  if (!constant) return unsupported_node(argument.owner(), "an argument does not cross the C ABI");
  place = *constant;
  if (place.kind == AtenArgKind::kString) {  // a plan outlives the Context of its graph
    plan_->texts.push_back(std::make_unique<std::string>(place.text()));
    place = AtenArg::string(*plan_->texts.back());
  }
  return success();
}

Status PlanLowering::lower_operand(AtenStep& step, size_t position, Node operand) {
  const auto place = static_cast<uint32_t>(position);
  const ValueId value = values_.of(operand);
  if (value == kNoValue) return unsupported_node(operand, "a tuple is an argument");
  const Type& type = values_.type(value);
  const bool writes = step.call.schema().args[position].alias.write;
  if (type.kind == TypeKind::kNone) {
    plan_->args[step.first_arg + position] = AtenArg::none();
    return success();
  }
  if (type.kind == TypeKind::kScalar) {
    NFX_ASSIGN(const NumberId number, number_of(value));
    step.patches.push_back({number_target(type.dtype), place, number});
    return success();
  }
  NFX_ASSIGN(const SlotId slot, slot_with_handle(value));
  plan_->slots[slot].counts_writes |= writes && plan_->slots[slot].kind == SlotKind::kView;
  use(slot);
  step.patches.push_back({Target::kTensor, place, slot});
  return success();
}

Status PlanLowering::lower_list(AtenStep& step, size_t position, ArgumentView argument) {
  const SchemaType& type = step.call.schema().args[position].type;
  const std::optional<AtenArgKind> kind = list_kind(type);
  if (!kind) return unsupported_node(argument.owner(), "a list does not cross the C ABI");
  ListArg list{.arg = step.first_arg + static_cast<uint32_t>(position), .kind = *kind};
  list.size = static_cast<uint32_t>(argument.size());
  const auto reserve = [&](auto& items) {
    list.first = static_cast<uint32_t>(items.size());
    items.resize(items.size() + list.size);
  };
  AtenArg& place = plan_->args[list.arg];
  switch (*kind) {
    case AtenArgKind::kTensorList:
      reserve(plan_->tensor_items);
      place = AtenArg::tensors({});
      break;
    case AtenArgKind::kFloatList:
      reserve(plan_->float_items);
      place = AtenArg::floats({});
      break;
    case AtenArgKind::kBoolList:
      reserve(plan_->bool_items);
      place = AtenArg::bools({});
      break;
    default:
      reserve(plan_->int_items);
      place = AtenArg::ints({});
      break;
  }
  place.sequence.size = list.size;
  plan_->lists.push_back(list);
  for (uint32_t i = 0; i < list.size; ++i) {
    NFX_TRY(lower_item(step, list, list.first + i, argument.child(i)));
  }
  return success();
}

Status PlanLowering::lower_item(AtenStep& step, const ListArg& list, uint32_t place,
                                ArgumentView item) {
  const bool reals = list.kind == AtenArgKind::kFloatList;
  const bool truths = list.kind == AtenArgKind::kBoolList;
  const Target number = reals ? Target::kFloatItem : truths ? Target::kBoolItem : Target::kIntItem;
  if (item.kind() == ArgKind::kSym) {
    step.patches.push_back({number, place, numbers_.number(item.arg().sym)});
    return success();
  }
  if (item.is_node()) {
    const ValueId value = values_.of(item.node());
    if (value == kNoValue) return unsupported_node(item.node(), "a tuple is an item of a list");
    if (values_.type(value).kind == TypeKind::kNone) return success();
    if (list.kind != AtenArgKind::kTensorList) {
      NFX_ASSIGN(const NumberId source, number_of(value));
      step.patches.push_back({number, place, source});
      return success();
    }
    NFX_ASSIGN(const SlotId slot, slot_with_handle(value));
    use(slot);
    step.patches.push_back({Target::kTensorItem, place, slot});
    return success();
  }
  if (list.kind == AtenArgKind::kTensorList) return success();  // None: a null handle
  const std::optional<double> value = item.as_number();
  if (!value) return unsupported_node(item.owner(), "a list has an item of another kind");
  if (reals) plan_->float_items[place] = *value;
  if (truths) plan_->bool_items[place] = *value != 0 ? 1 : 0;
  if (!reals && !truths) plan_->int_items[place] = *item.as_int();
  return success();
}

}  // namespace nfx
