#include "compiler/lower.h"

#include <algorithm>
#include <bit>

#include "compiler/plan_lowering.h"

namespace nfx {
namespace {

struct UnsupportedNode {
  static constexpr std::string_view kCode = "unsupported-node";
  std::string node, why;
  std::string message() const { return "`%" + node + "` cannot be part of a plan: " + why; }
  std::string help() const { return "the graph runs in PyTorch instead"; }
};
NFX_DIAGNOSTIC(UnsupportedNode);

PlanInput::Kind number_kind(Dtype dtype) {
  if (dtype == Dtype::kFloat64) return PlanInput::Kind::kFloat;
  return dtype == Dtype::kBool ? PlanInput::Kind::kBool : PlanInput::Kind::kInt;
}

PlanOutput::Kind output_kind(Dtype dtype) {
  if (dtype == Dtype::kFloat64) return PlanOutput::Kind::kFloat;
  return dtype == Dtype::kBool ? PlanOutput::Kind::kBool : PlanOutput::Kind::kInt;
}

}  // namespace

Diagnostic unsupported_node(Node node, std::string why) {
  const std::string name(node.name());
  return diagnose(UnsupportedNode{name, std::move(why)}, Place{.node = name});
}

PlanLowering::PlanLowering(const Graph& graph, Runners& runners, const Fusion* fusion,
                           const KernelCode& code, const CompileOptions& options)
    : graph_(graph),
      context_(graph.context()),
      runners_(runners),
      fusion_(fusion),
      code_(code),
      hooks_(options.hooks),
      own_memory_(options.own_memory),
      values_(graph),
      memory_(graph, values_, runners),
      numbers_(context_),
      plan_(std::make_unique<Plan>()),
      slot_of_value_(values_.size(), kNoIndex),
      number_of_value_(values_.size(), kNoIndex) {}

Result<std::unique_ptr<Plan>> PlanLowering::run() {
  NFX_ASSIGN(const std::vector<StepUnit> units,
             order_steps(graph_, values_, runners_, memory_, fusion_));
  find_used_values();
  lower_inputs();
  NFX_TRY(lower_constants());
  for (const StepUnit& unit : units) NFX_TRY(lower_unit(unit));
  NFX_TRY(lower_outputs());
  NFX_TRY(finish_numbers());
  hand_over_outputs();
  place_frees();
  plan_->failed = hooks_.failed;
  return std::move(plan_);
}

// Numbers first, so that a size that is also given as a number is read as one.
void PlanLowering::lower_inputs() {
  std::vector<Node> tensors;
  for (const Node node : graph_.placeholders()) {
    const Type& type = node.type();
    PlanInput input{.name = std::string(node.name())};
    const ValueId value = values_.of(node);
    if (type.kind == TypeKind::kTensor) {
      input.kind = PlanInput::Kind::kTensor;
      tensors.push_back(node);
    } else if (type.kind == TypeKind::kScalar && value != kNoValue) {
      input.kind = number_kind(type.dtype);
      input.number = numbers_.define(type.expr);
      if (input.number == kNoIndex) input.number = numbers_.fresh();
      number_of_value_[value] = input.number;
    }
    plan_->inputs.push_back(std::move(input));
  }
  size_t position = 0;
  for (const Node node : graph_.placeholders()) {
    PlanInput& input = plan_->inputs[position++];
    if (input.kind != PlanInput::Kind::kTensor) continue;
    const Type& type = node.type();
    const ValueId value = values_.of(node);
    input.slot = static_cast<SlotId>(plan_->slots.size());
    lower_tensor_symbols(input.slot, type, plan_->symbols);
    slot_of_value_[value] = add_slot({.kind = SlotKind::kInput}, type, node);
    has_handle_[input.slot] = true;
  }
}

// Plain symbols before expressions, which then may be known already.
void PlanLowering::lower_tensor_symbols(SlotId slot, const Type& type,
                                        std::vector<SymbolSource>& sources) {
  using Property = SymbolSource::Property;
  const auto define = [&](SymExprId expr, Property property, size_t dim, bool plain) {
    if (!expr || (sym_node(context_, expr).op == SymOp::kSymbol) != plain) return;
    const NumberId number = numbers_.define(expr);
    if (number == kNoIndex) return;
    sources.push_back({slot, property, static_cast<uint32_t>(dim), number});
  };
  for (const bool plain : {true, false}) {
    for (size_t i = 0; i < type.sizes.size(); ++i) define(type.sizes[i], Property::kSize, i, plain);
    for (size_t i = 0; i < type.strides.size(); ++i) {
      define(type.strides[i], Property::kStride, i, plain);
    }
    define(type.storage_offset, Property::kOffset, 0, plain);
  }
}

Status PlanLowering::lower_constants() {
  for (const Node node : graph_.nodes()) {
    if (node.kind() != NodeKind::kGetAttr || !hooks_.constant) continue;
    const ValueId value = values_.of(node);
    AtenTensor tensor = hooks_.constant(node);
    if (!tensor || value == kNoValue) continue;
    Slot slot{.kind = SlotKind::kConstant};
    slot.constant = static_cast<uint32_t>(plan_->constants.size());
    slot_of_value_[value] = add_slot(std::move(slot), node.type(), node);
    has_handle_[slot_of_value_[value]] = true;
    plan_->constants.push_back(std::move(tensor));
  }
  return success();
}

Status PlanLowering::lower_unit(const StepUnit& unit) {
  if (unit.kernel >= 0) return lower_kernel(unit.kernel);
  return runners_.of(unit.node).runner == Runner::kAten ? lower_aten(unit.node)
                                                        : lower_external(unit.node);
}

Status PlanLowering::lower_outputs() {
  const Node output = graph_.output();
  if (!output || num_positional(output) == 0) return success();
  const ArgumentView root = positional(output, 0);
  if (root.kind() != ArgKind::kTuple && root.kind() != ArgKind::kList) return lower_output(root);
  for (size_t i = 0; i < root.size(); ++i) NFX_TRY(lower_output(root.child(i)));
  return success();
}

Status PlanLowering::lower_output(ArgumentView argument) {
  PlanOutput output;
  const Arg& arg = argument.arg();
  switch (argument.kind()) {
    case ArgKind::kNone: break;
    case ArgKind::kBool:
    case ArgKind::kInt:
      output = {argument.kind() == ArgKind::kInt ? PlanOutput::Kind::kInt : PlanOutput::Kind::kBool,
                numbers_.constant(arg.integer)};
      break;
    case ArgKind::kFloat:
      output = {PlanOutput::Kind::kFloat, numbers_.constant(std::bit_cast<int64_t>(arg.real))};
      break;
    case ArgKind::kSym: output = {PlanOutput::Kind::kInt, numbers_.number(arg.sym)}; break;
    case ArgKind::kHole: {
      const ValueId value = values_.of(argument.node());
      if (value == kNoValue) return unsupported_node(argument.node(), "a tuple leaves the graph");
      const Type& type = values_.type(value);
      if (type.kind == TypeKind::kNone) break;
      if (type.kind == TypeKind::kScalar) {
        NFX_ASSIGN(output.source, number_of(value));
        output.kind = output_kind(type.dtype);
        break;
      }
      NFX_ASSIGN(output.source, slot_with_handle(value));
      output.kind = PlanOutput::Kind::kTensor;
      break;
    }
    default: return unsupported_node(argument.owner(), "an output is no tensor or number");
  }
  plan_->outputs.push_back(output);
  return success();
}

Status PlanLowering::finish_numbers() {
  plan_->input_symbols = numbers_.symbols_of_phase(0);
  NFX_ASSIGN(plan_->program, numbers_.program(0));
  for (size_t i = 0; i < plan_->binds.size(); ++i) {
    NFX_ASSIGN(plan_->binds[i].program, numbers_.program(static_cast<uint32_t>(i) + 1));
  }
  plan_->numbers = numbers_.values();
  return success();
}

Result<std::unique_ptr<Plan>> lower_to_plan(const Graph& graph, Runners& runners,
                                            const Fusion* fusion, const KernelCode& code,
                                            const CompileOptions& options) {
  return PlanLowering(graph, runners, fusion, code, options).run();
}

}  // namespace nfx
