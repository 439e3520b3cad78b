#include "ir/sym_program.h"

#include <bit>
#include <unordered_map>

#include "ir/context.h"

namespace nfx {
namespace {

struct UnboundSymbol {
  static constexpr std::string_view kCode = "unbound-symbol";
  std::string symbol;
  std::string expression;
  std::string message() const { return "no input gives `" + symbol + "` of `" + expression + "`"; }
  std::string help() const {
    return "pass the size as an input of the graph, or make it a constant";
  }
};
NFX_DIAGNOSTIC(UnboundSymbol);

int64_t to_slot(const SymValue& value) {
  return value.kind == SymKind::kFloat ? std::bit_cast<int64_t>(value.real) : value.integer;
}

SymValue from_slot(SymKind kind, int64_t slot) {
  if (kind == SymKind::kFloat) return SymValue::of_float(std::bit_cast<double>(slot));
  return {kind, slot};
}

}  // namespace

// Puts every expression into a slot after its operands, each once.
class SymCompiler {
 public:
  explicit SymCompiler(const Context& context) : context_(context) {}

  void bind(SymExprId input) {
    slots_.emplace(input, static_cast<uint32_t>(program_.num_inputs_++));
    program_.input_kinds_.push_back(sym_node(context_, input).kind);
  }

  // Constants have slots before all instructions, so they are found first.
  Status collect(SymExprId root) {
    std::vector<SymExprId> stack{root};
    while (!stack.empty()) {
      SymExprId id = stack.back();
      if (slots_.contains(id) || order_of_.contains(id)) {
        stack.pop_back();
        continue;
      }
      const SymNode& node = sym_node(context_, id);
      if (node.op == SymOp::kSymbol || node.op == SymOp::kOpaque) {
        return diagnose(UnboundSymbol{print_sym(context_, id), print_sym(context_, root)});
      }
      if (node.operands.empty()) {
        slots_.emplace(id,
                       static_cast<uint32_t>(program_.num_inputs_ + program_.constants_.size()));
        program_.constants_.push_back({node.kind, node.integer, node.real});
        continue;
      }
      size_t before = stack.size();
      for (SymExprId operand : node.operands) {
        if (!slots_.contains(operand) && !order_of_.contains(operand)) stack.push_back(operand);
      }
      if (stack.size() != before) continue;
      order_of_.emplace(id, static_cast<uint32_t>(order_.size()));
      order_.push_back(id);
    }
    return success();
  }

  uint32_t slot(SymExprId id) const {
    if (auto found = slots_.find(id); found != slots_.end()) return found->second;
    auto first = static_cast<uint32_t>(program_.num_inputs_ + program_.constants_.size());
    return first + order_of_.at(id);
  }

  SymProgram finish(std::span<const SymExprId> outputs) {
    for (SymExprId id : order_) {
      const SymNode& node = sym_node(context_, id);
      auto count = static_cast<uint32_t>(node.operands.size());
      program_.instructions_.push_back(
          {node.op, node.kind, static_cast<uint32_t>(program_.operands_.size()), count});
      for (SymExprId operand : node.operands) program_.operands_.push_back(slot(operand));
      program_.max_operands_ = std::max(program_.max_operands_, count);
    }
    for (SymExprId id : outputs) program_.outputs_.push_back(slot(id));
    return std::move(program_);
  }

 private:
  const Context& context_;
  SymProgram program_;
  std::unordered_map<SymExprId, uint32_t> slots_;     // inputs and constants
  std::unordered_map<SymExprId, uint32_t> order_of_;  // instructions
  std::vector<SymExprId> order_;
};

Result<SymProgram> SymProgram::compile(const Context& context, std::span<const SymExprId> inputs,
                                       std::span<const SymExprId> outputs) {
  SymCompiler compiler(context);
  for (SymExprId input : inputs) compiler.bind(input);
  for (SymExprId output : outputs) NFX_TRY(compiler.collect(output));
  return compiler.finish(outputs);
}

bool SymProgram::run(std::span<const int64_t> inputs, std::span<int64_t> outputs) const {
  assert(inputs.size() == num_inputs_ && outputs.size() == outputs_.size());
  constexpr size_t kOnStack = 64;
  SymValue few[kOnStack];
  size_t slots = num_inputs_ + constants_.size() + instructions_.size() + max_operands_;
  std::vector<SymValue> many(slots > kOnStack ? slots : 0);
  SymValue* value = slots > kOnStack ? many.data() : few;
  size_t next = 0;
  for (; next < num_inputs_; ++next) value[next] = from_slot(input_kinds_[next], inputs[next]);
  for (const SymValue& constant : constants_) value[next++] = constant;
  SymValue* arguments = value + slots - max_operands_;
  for (const Instruction& step : instructions_) {
    for (uint32_t i = 0; i < step.count; ++i) arguments[i] = value[operands_[step.first + i]];
    value[next++] =
        apply_sym(step.op, step.kind, {arguments, step.count}).value_or(SymValue::nothing());
  }
  for (uint32_t slot : outputs_) {
    if (value[slot].undefined) return false;
  }
  for (size_t i = 0; i < outputs_.size(); ++i) outputs[i] = to_slot(value[outputs_[i]]);
  return true;
}

std::optional<SymValue> evaluate_sym(const Context& context, SymExprId expr,
                                     std::span<const SymExprId> symbols,
                                     std::span<const SymValue> values) {
  auto program = SymProgram::compile(context, symbols, std::span(&expr, 1));
  if (!program) return std::nullopt;
  std::vector<int64_t> inputs;
  for (const SymValue& value : values) inputs.push_back(to_slot(value));
  int64_t output = 0;
  if (!program->run(inputs, std::span(&output, 1))) return std::nullopt;
  return from_slot(sym_node(context, expr).kind, output);
}

std::optional<int64_t> evaluate_hint(const Context& context, SymExprId id) {
  std::vector<SymExprId> stack{id}, symbols;
  std::vector<SymValue> values;
  std::unordered_map<SymExprId, bool> seen;
  while (!stack.empty()) {
    SymExprId next = stack.back();
    stack.pop_back();
    if (!seen.emplace(next, true).second) continue;
    const SymNode& node = sym_node(context, next);
    if (node.op == SymOp::kSymbol) {
      auto hint = symbol_facts(context, next).hint;
      if (!hint || node.kind == SymKind::kFloat) return std::nullopt;
      symbols.push_back(next);
      values.push_back({node.kind, *hint});
    }
    stack.insert(stack.end(), node.operands.begin(), node.operands.end());
  }
  auto value = evaluate_sym(context, id, symbols, values);
  if (!value || value->kind == SymKind::kFloat) return std::nullopt;
  return value->integer;
}

}  // namespace nfx
