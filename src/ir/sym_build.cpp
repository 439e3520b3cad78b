// Makes symbolic expressions: constants and symbols, and every operation through
// the rules of its kind.
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <vector>

#include "ir/context.h"
#include "ir/sym_poly.h"
#include "ir/sym_simplify.h"
#include "ir/sym_table.h"
#include "ir/sym_value.h"

namespace nfx {
namespace {

bool is_constant(const SymNode& node) {
  return node.op == SymOp::kInt || node.op == SymOp::kFloat || node.op == SymOp::kBool;
}

SymExprId constant(Context& context, const SymValue& value) {
  switch (value.kind) {
    case SymKind::kInt: return sym_int(context, value.integer);
    case SymKind::kFloat: return sym_float(context, value.real);
    default: return sym_bool(context, value.integer != 0);
  }
}

SymKind result_kind(const Context& context, SymOp op, std::span<const SymExprId> operands) {
  switch (op) {
    case SymOp::kEq:
    case SymOp::kNe:
    case SymOp::kLt:
    case SymOp::kLe:
    case SymOp::kAnd:
    case SymOp::kOr:
    case SymOp::kNot: return SymKind::kBool;
    case SymOp::kIntTrueDiv:
    case SymOp::kFloatTrueDiv:
    case SymOp::kFloatPow:
    case SymOp::kToFloat:
    case SymOp::kSqrt: return SymKind::kFloat;
    case SymOp::kTruncToInt:
    case SymOp::kRoundToInt:
    case SymOp::kFloor:
    case SymOp::kCeil: return SymKind::kInt;
    default: break;
  }
  bool real = std::ranges::any_of(
      operands, [&](SymExprId id) { return sym_node(context, id).kind == SymKind::kFloat; });
  return real ? SymKind::kFloat : SymKind::kInt;
}

std::optional<SymExprId> fold(Context& context, SymOp op, SymKind kind,
                              std::span<const SymExprId> operands) {
  std::vector<SymValue> values;
  for (SymExprId id : operands) {
    const SymNode& node = sym_node(context, id);
    if (!is_constant(node)) return std::nullopt;
    values.push_back({node.kind, node.integer, node.real});
  }
  auto value = apply_sym(op, kind, values);
  if (!value) return std::nullopt;
  return constant(context, *value);
}

SymExprId raw_sorted(Context& context, SymOp op, std::span<const SymExprId> operands) {
  std::vector<SymExprId> sorted(operands.begin(), operands.end());
  sym_sort(context, sorted);
  return sym_raw(context, op, SymKind::kInt, sorted);
}

SymExprId fold_poly(Context& context, SymOp op, std::span<const SymExprId> operands) {
  SymPoly total = to_poly(context, operands[0]);
  for (SymExprId id : operands.subspan(1)) {
    SymPoly next = to_poly(context, id);
    auto result =
        op == SymOp::kAdd ? poly_add(context, total, next) : poly_mul(context, total, next);
    if (!result) return raw_sorted(context, op, operands);
    total = std::move(*result);
  }
  return from_poly(context, total);
}

// Floats keep the order of their operands, for rounding depends on it.
SymExprId build_float(Context& context, SymOp op, SymKind kind,
                      std::span<const SymExprId> operands) {
  if (op == SymOp::kWhere) {
    return simplify_where(context, operands[0], operands[1], operands[2]);
  }
  if (operands.size() > 2 && (op == SymOp::kAdd || op == SymOp::kMul)) {
    SymExprId rest = sym(context, op, operands.first(operands.size() - 1));
    return sym(context, op, std::array{rest, operands.back()});
  }
  return sym_raw(context, op, kind, operands);
}

// floor, ceil, trunc and round of an integer are that integer.
SymExprId build_conversion(Context& context, SymOp op, SymExprId operand) {
  const SymNode& node = sym_node(context, operand);
  if (node.kind == SymKind::kInt) return operand;
  if (node.op == SymOp::kToFloat) return node.operands[0];
  return sym_raw(context, op, SymKind::kInt, std::array{operand});
}

SymExprId build_int(Context& context, SymOp op, std::span<const SymExprId> x) {
  switch (op) {
    case SymOp::kAdd:
    case SymOp::kMul: return fold_poly(context, op, x);
    case SymOp::kFloorDiv: return simplify_floordiv(context, x[0], x[1]);
    case SymOp::kCeilDiv: return simplify_ceildiv(context, x[0], x[1]);
    case SymOp::kMod: return simplify_mod(context, x[0], x[1]);
    case SymOp::kMax:
    case SymOp::kMin: return simplify_extremum(context, op, x);
    case SymOp::kPow: return simplify_pow(context, x[0], x[1]);
    case SymOp::kWhere: return simplify_where(context, x[0], x[1], x[2]);
    default: return build_conversion(context, op, x[0]);
  }
}

}  // namespace

SymExprId sym_int(Context& context, int64_t value) {
  return sym_table(context).intern({.op = SymOp::kInt, .kind = SymKind::kInt, .integer = value});
}

SymExprId sym_float(Context& context, double value) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();  // one NaN, one id
  return sym_table(context).intern({.op = SymOp::kFloat, .kind = SymKind::kFloat, .real = value});
}

SymExprId sym_bool(Context& context, bool value) {
  return sym_table(context).intern({.op = SymOp::kBool, .kind = SymKind::kBool, .integer = value});
}

SymExprId sym_symbol(Context& context, std::string_view name, SymKind kind) {
  SymTable& table = sym_table(context);
  StringId text = context.intern(name);
  table.declare(text, kind);
  Symbol symbol;
  table.facts(text, symbol);
  return table.intern({.op = SymOp::kSymbol, .kind = symbol.kind, .text = text});
}

void set_symbol_range(Context& context, SymExprId symbol, SymRange range) {
  sym_table(context).set_range(symbol, range);
}

void set_symbol_hint(Context& context, SymExprId symbol, int64_t hint) {
  sym_table(context).set_hint(sym_node(context, symbol).text, hint);
}

Symbol symbol_facts(const Context& context, SymExprId symbol) {
  Symbol facts;
  sym_table(context).facts(sym_node(context, symbol).text, facts);
  return facts;
}

SymExprId sym(Context& context, SymOp op, std::span<const SymExprId> operands) {
  assert(!operands.empty() && "leaves are made by sym_int and its like");
  SymKind kind = result_kind(context, op, operands);
  if (auto value = fold(context, op, kind, operands)) return *value;
  switch (op) {
    case SymOp::kEq:
    case SymOp::kNe:
    case SymOp::kLt:
    case SymOp::kLe: return simplify_relation(context, op, operands[0], operands[1]);
    case SymOp::kAnd:
    case SymOp::kOr: return simplify_logic(context, op, operands);
    case SymOp::kNot: return simplify_not(context, operands[0]);
    default: break;
  }
  return kind == SymKind::kFloat ? build_float(context, op, kind, operands)
                                 : build_int(context, op, operands);
}

SymExprId sym_add(Context& context, SymExprId a, SymExprId b) {
  return sym(context, SymOp::kAdd, std::array{a, b});
}

SymExprId sym_sub(Context& context, SymExprId a, SymExprId b) {
  return sym_add(context, a, sym_mul(context, sym_int(context, -1), b));
}

SymExprId sym_mul(Context& context, SymExprId a, SymExprId b) {
  return sym(context, SymOp::kMul, std::array{a, b});
}

SymExprId sym_floordiv(Context& context, SymExprId a, SymExprId b) {
  return sym(context, SymOp::kFloorDiv, std::array{a, b});
}

SymExprId sym_mod(Context& context, SymExprId a, SymExprId b) {
  return sym(context, SymOp::kMod, std::array{a, b});
}

const SymNode& sym_node(const Context& context, SymExprId id) {
  return sym_table(context).node(id);
}

std::optional<int64_t> as_int(const Context& context, SymExprId id) {
  const SymNode& node = sym_node(context, id);
  if (node.op != SymOp::kInt && node.op != SymOp::kBool) return std::nullopt;
  return node.integer;
}

SymRange range_of(const Context& context, SymExprId id) { return sym_table(context).range(id); }

}  // namespace nfx
