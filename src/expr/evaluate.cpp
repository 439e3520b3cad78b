#include "expr/evaluate.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "expr/evaluate_float.h"
#include "expr/evaluate_integer.h"

namespace nfx {
namespace {

// A result of arithmetic: 16-bit floats keep float precision.
Value float_result(Dtype dtype, double value) {
  if (dtype != Dtype::kFloat64) value = double{static_cast<float>(value)};
  return {dtype, value, 0};
}

bool compare_ordered(ExprOp op, auto x, auto y) {
  switch (op) {
    case ExprOp::kEq: return x == y;
    case ExprOp::kNe: return x != y;
    case ExprOp::kLt: return x < y;
    case ExprOp::kLe: return x <= y;
    case ExprOp::kGt: return x > y;
    default: return x >= y;
  }
}

bool compare(ExprOp op, const Value& x, const Value& y) {
  if (is_floating(x.dtype)) return compare_ordered(op, x.number, y.number);
  if (x.dtype == Dtype::kUInt64) {
    return compare_ordered(op, static_cast<uint64_t>(x.integer), static_cast<uint64_t>(y.integer));
  }
  return compare_ordered(op, x.integer, y.integer);
}

Value make_bool(bool value) { return {Dtype::kBool, 0, value}; }

int64_t truncate_to_int64(double value) {
  if (!(value >= -0x1p63 && value < 0x1p63)) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

int64_t truncate_to_integer(double value, Dtype dtype) {
  if (dtype == Dtype::kUInt64 && value >= 0x1p63 && value < 0x1p64) {
    return static_cast<int64_t>(static_cast<uint64_t>(value));
  }
  const int64_t wide = truncate_to_int64(value);
  if (dtype_size(dtype) == 8 || dtype == Dtype::kUInt32) return wide;
  const bool fits =
      wide >= std::numeric_limits<int32_t>::min() && wide <= std::numeric_limits<int32_t>::max();
  return fits ? wide : std::numeric_limits<int32_t>::min();
}

// Straight from the integer: going through double would round twice.
double integer_to_float(const Value& value, Dtype dtype) {
  if (dtype == Dtype::kFloat64) return as_double(value);
  const float rounded = value.dtype == Dtype::kUInt64
                            ? static_cast<float>(static_cast<uint64_t>(value.integer))
                            : static_cast<float>(value.integer);
  return round_to(dtype, double{rounded});
}

}  // namespace

Value constant_value(const ExprNode& node) {
  assert(node.op == ExprOp::kConst && "only constants hold a value");
  if (is_floating(node.dtype)) return {node.dtype, std::bit_cast<double>(node.payload), 0};
  return {node.dtype, 0, static_cast<int64_t>(node.payload)};
}

Value evaluate_cast(const Value& value, Dtype dtype) {
  if (dtype == Dtype::kBool) return make_bool(as_bool(value));
  const bool from_float = is_floating(value.dtype);
  if (is_floating(dtype)) {
    return make_value(dtype, from_float ? value.number : integer_to_float(value, dtype));
  }
  return make_value(dtype, from_float ? truncate_to_integer(value.number, dtype) : value.integer);
}

Value evaluate_unary(ExprOp op, const Value& x) {
  const bool floating = is_floating(x.dtype);
  if (op == ExprOp::kIsNan) return make_bool(floating && std::isnan(x.number));
  if (op == ExprOp::kIsInf) return make_bool(floating && std::isinf(x.number));
  if (floating) return float_result(x.dtype, float_unary(op, x.number));
  return make_value(x.dtype, integer_unary(op, x.dtype, x.integer));
}

Value evaluate_binary(ExprOp op, const Value& x, const Value& y) {
  assert(x.dtype == y.dtype && "operands of one operator have one dtype");
  if (is_comparison(op)) return make_bool(compare(op, x, y));
  if (!is_floating(x.dtype)) {
    return make_value(x.dtype, integer_binary(op, x.dtype, x.integer, y.integer));
  }
  if (x.dtype == Dtype::kFloat64) {
    return float_result(x.dtype, float_binary<double>(op, x.number, y.number));
  }
  const auto narrow_x = static_cast<float>(x.number);
  const auto narrow_y = static_cast<float>(y.number);
  return float_result(x.dtype, double{float_binary<float>(op, narrow_x, narrow_y)});
}

Value evaluate(const ExprNode& node, const Value* operands) {
  assert(!is_leaf(node.op) && node.op != ExprOp::kLoad && "leaves get their value from outside");
  if (node.op == ExprOp::kCast) return evaluate_cast(operands[0], node.dtype);
  if (node.op == ExprOp::kSelect) return as_bool(operands[0]) ? operands[1] : operands[2];
  if (arity(node.op) == 1) return evaluate_unary(node.op, operands[0]);
  return evaluate_binary(node.op, operands[0], operands[1]);
}

}  // namespace nfx
