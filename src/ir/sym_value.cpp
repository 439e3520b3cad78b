#include "ir/sym_value.h"

#include <algorithm>
#include <cmath>

#include "ir/sym_range.h"

namespace nfx {
namespace {

using Values = std::span<const SymValue>;

bool any_float(Values v) {
  return std::ranges::any_of(v, [](const SymValue& x) { return x.kind == SymKind::kFloat; });
}

std::optional<SymValue> to_integer(double v) {
  if (!(v >= -0x1p63 && v < 0x1p63)) return std::nullopt;
  return SymValue::of_int(static_cast<int64_t>(v));
}

std::optional<SymValue> fold_numbers(SymOp op, Values v) {
  if (any_float(v)) {
    double r = v[0].as_double();
    for (const SymValue& x : v.subspan(1)) {
      double y = x.as_double();
      if (op == SymOp::kAdd) r += y;
      if (op == SymOp::kMul) r *= y;
      if (op == SymOp::kMax && y > r) r = y;  // as Python's max(r, y)
      if (op == SymOp::kMin && y < r) r = y;
    }
    return SymValue::of_float(r);
  }
  int64_t r = v[0].integer;
  for (const SymValue& x : v.subspan(1)) {
    bool overflow = false;
    if (op == SymOp::kAdd) overflow = __builtin_add_overflow(r, x.integer, &r);
    if (op == SymOp::kMul) overflow = __builtin_mul_overflow(r, x.integer, &r);
    if (op == SymOp::kMax) r = std::max(r, x.integer);
    if (op == SymOp::kMin) r = std::min(r, x.integer);
    if (overflow) return std::nullopt;
  }
  return SymValue::of_int(r);
}

std::optional<SymValue> wrap(std::optional<int64_t> v) {
  if (!v) return std::nullopt;
  return SymValue::of_int(*v);
}

std::optional<SymValue> power(Values v) {
  if (!any_float(v) && v[1].integer >= 0) return wrap(checked_pow(v[0].integer, v[1].integer));
  double base = v[0].as_double(), exponent = v[1].as_double();
  if (base == 0 && exponent < 0) return std::nullopt;
  return SymValue::of_float(std::pow(base, exponent));
}

std::optional<SymValue> divide(SymOp op, Values v) {
  if (op == SymOp::kIntTrueDiv || op == SymOp::kFloatTrueDiv) {
    if (v[1].as_double() == 0) return std::nullopt;
    return SymValue::of_float(v[0].as_double() / v[1].as_double());
  }
  if (any_float(v)) {
    double a = v[0].as_double(), b = v[1].as_double();
    if (b == 0) return std::nullopt;
    double mod = std::fmod(a, b);
    if (mod != 0 && (mod < 0) != (b < 0)) mod += b;
    if (op == SymOp::kMod) return SymValue::of_float(mod);
    return op == SymOp::kFloorDiv ? SymValue::of_float(std::floor((a - mod) / b + 0.5))
                                  : SymValue::of_float(std::ceil(a / b));
  }
  int64_t a = v[0].integer, b = v[1].integer;
  if (op == SymOp::kMod) return wrap(checked_mod(a, b));
  auto quotient = checked_floordiv(a, b);
  if (op == SymOp::kCeilDiv && quotient && *checked_mod(a, b) != 0) ++*quotient;
  return wrap(quotient);
}

SymValue relation(SymOp op, const SymValue& a, const SymValue& b) {
  auto decide = [op](auto x, auto y) {
    switch (op) {
      case SymOp::kEq: return x == y;
      case SymOp::kNe: return x != y;
      case SymOp::kLt: return x < y;
      default: return x <= y;
    }
  };
  bool real = a.kind == SymKind::kFloat || b.kind == SymKind::kFloat;
  return SymValue::of_bool(real ? decide(a.as_double(), b.as_double())
                                : decide(a.integer, b.integer));
}

std::optional<SymValue> convert(SymOp op, const SymValue& x) {
  double v = x.as_double();
  switch (op) {
    case SymOp::kToFloat: return SymValue::of_float(v);
    case SymOp::kSqrt:
      return v < 0 ? std::nullopt : std::optional(SymValue::of_float(std::sqrt(v)));
    default: break;
  }
  if (x.kind != SymKind::kFloat) return SymValue::of_int(x.integer);
  switch (op) {
    case SymOp::kTruncToInt: return to_integer(std::trunc(v));
    case SymOp::kRoundToInt: return to_integer(std::nearbyint(v));
    case SymOp::kFloor: return to_integer(std::floor(v));
    default: return to_integer(std::ceil(v));
  }
}

std::optional<SymValue> choose(SymKind kind, Values v) {
  if (v[0].undefined) return std::nullopt;
  const SymValue& chosen = v[v[0].truth() ? 1 : 2];
  if (chosen.undefined) return std::nullopt;
  return kind == SymKind::kFloat ? SymValue::of_float(chosen.as_double()) : chosen;
}

}  // namespace

std::optional<SymValue> apply_sym(SymOp op, SymKind kind, Values v) {
  if (v.empty()) return std::nullopt;
  if (op == SymOp::kWhere) return choose(kind, v);
  if (std::ranges::any_of(v, &SymValue::undefined)) return std::nullopt;
  switch (op) {
    case SymOp::kAdd:
    case SymOp::kMul:
    case SymOp::kMax:
    case SymOp::kMin: return fold_numbers(op, v);
    case SymOp::kPow:
    case SymOp::kFloatPow: return power(v);
    case SymOp::kFloorDiv:
    case SymOp::kCeilDiv:
    case SymOp::kMod:
    case SymOp::kIntTrueDiv:
    case SymOp::kFloatTrueDiv: return divide(op, v);
    case SymOp::kToFloat:
    case SymOp::kTruncToInt:
    case SymOp::kRoundToInt:
    case SymOp::kFloor:
    case SymOp::kCeil:
    case SymOp::kSqrt: return convert(op, v[0]);
    case SymOp::kEq:
    case SymOp::kNe:
    case SymOp::kLt:
    case SymOp::kLe: return relation(op, v[0], v[1]);
    case SymOp::kAnd:
      return SymValue::of_bool(std::ranges::all_of(v, [](auto& x) { return x.truth(); }));
    case SymOp::kOr:
      return SymValue::of_bool(std::ranges::any_of(v, [](auto& x) { return x.truth(); }));
    case SymOp::kNot: return SymValue::of_bool(!v[0].truth());
    default: return std::nullopt;
  }
}

}  // namespace nfx
