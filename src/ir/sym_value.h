// What each operation on symbolic numbers gives for known operands: the single
// definition, used to fold constants, to evaluate with hints, and at run time.
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "ir/sym_expr.h"

namespace nfx {

// Integer and boolean values are in `integer`, floats in `real`. An undefined
// value (a division by zero) harms only what depends on it: `Where` may not.
struct SymValue {
  SymKind kind = SymKind::kInt;
  int64_t integer = 0;
  double real = 0;
  bool undefined = false;

  static SymValue of_int(int64_t v) { return {SymKind::kInt, v}; }
  static SymValue of_float(double v) { return {SymKind::kFloat, 0, v}; }
  static SymValue of_bool(bool v) { return {SymKind::kBool, v}; }
  static SymValue nothing() { return {.undefined = true}; }
  double as_double() const { return kind == SymKind::kFloat ? real : static_cast<double>(integer); }
  bool truth() const { return kind == SymKind::kFloat ? real != 0 : integer != 0; }
};

// Nothing on division by zero, overflow, or for an operand that is undefined and
// counts; nothing for leaves, which have no operands.
std::optional<SymValue> apply_sym(SymOp op, SymKind kind, std::span<const SymValue> operands);

}  // namespace nfx
