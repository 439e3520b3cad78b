#include "compiler/number_table.h"

#include <algorithm>
#include <bit>

namespace nfx {
namespace {

std::optional<int64_t> constant_bits(const Context& context, SymExprId expr) {
  const SymNode& node = sym_node(context, expr);
  switch (node.op) {
    case SymOp::kInt:
    case SymOp::kBool: return node.integer;
    case SymOp::kFloat: return std::bit_cast<int64_t>(node.real);
    default: return std::nullopt;
  }
}

constexpr uint32_t kUnknownPhase = UINT32_MAX;

}  // namespace

NumberId NumberTable::fresh() {
  values_.push_back(0);
  return static_cast<NumberId>(values_.size() - 1);
}

NumberId NumberTable::constant(int64_t value) {
  const auto [found, added] = constants_.try_emplace(value, kNoIndex);
  if (added) {
    found->second = fresh();
    values_[found->second] = value;
  }
  return found->second;
}

NumberId NumberTable::define(SymExprId expr) {
  if (!expr || constant_bits(context_, expr)) return kNoIndex;
  if (known_index_.contains(expr)) return kNoIndex;
  if (sym_node(context_, expr).op != SymOp::kSymbol && is_known(expr)) return kNoIndex;
  const NumberId number = fresh();
  known_index_.emplace(expr, static_cast<uint32_t>(known_.size()));
  known_.push_back({expr, number, phase_});
  numbers_.emplace(expr, number);
  return number;
}

uint32_t NumberTable::phase_of(SymExprId expr) const {
  if (!expr) return 0;
  if (const auto known = known_index_.find(expr); known != known_index_.end()) {
    return known_[known->second].phase;
  }
  const SymNode& node = sym_node(context_, expr);
  if (node.op == SymOp::kSymbol || node.op == SymOp::kOpaque) return kUnknownPhase;
  uint32_t phase = 0;
  for (const SymExprId operand : node.operands) phase = std::max(phase, phase_of(operand));
  return phase;
}

bool NumberTable::is_known(SymExprId expr) const { return phase_of(expr) != kUnknownPhase; }

void NumberTable::request(SymExprId expr, NumberId number) {
  if (const std::optional<int64_t> bits = constant_bits(context_, expr)) {
    values_[number] = *bits;
    return;
  }
  requests_.push_back({expr, number, phase_of(expr)});
}

NumberId NumberTable::number(SymExprId expr) {
  if (!expr) return constant(0);
  if (const std::optional<int64_t> bits = constant_bits(context_, expr)) return constant(*bits);
  const auto [found, added] = numbers_.try_emplace(expr, kNoIndex);
  if (added) {
    found->second = fresh();
    request(expr, found->second);
  }
  return found->second;
}

NumberId NumberTable::shape(std::span<const SymExprId> sizes, std::span<const SymExprId> strides) {
  const auto first = static_cast<NumberId>(values_.size());
  values_.resize(values_.size() + sizes.size() + strides.size());
  NumberId next = first;
  for (const SymExprId size : sizes) request(size, next++);
  for (const SymExprId stride : strides) request(stride, next++);
  return first;
}

Result<NumberProgram> NumberTable::program(uint32_t phase) const {
  NumberProgram made;
  std::vector<SymExprId> inputs, outputs;
  for (const Known& known : known_) {
    if (known.phase > phase) continue;
    inputs.push_back(known.expr);
    made.inputs.push_back(known.number);
  }
  for (const Request& asked : requests_) {
    if (asked.phase != phase && asked.phase != kUnknownPhase) continue;
    outputs.push_back(asked.expr);
    made.outputs.push_back(asked.number);
  }
  NFX_ASSIGN(made.program, SymProgram::compile(context_, inputs, outputs));
  return made;
}

std::vector<NumberId> NumberTable::symbols_of_phase(uint32_t phase) const {
  std::vector<NumberId> numbers;
  for (const Known& known : known_) {
    if (known.phase == phase) numbers.push_back(known.number);
  }
  return numbers;
}

}  // namespace nfx
