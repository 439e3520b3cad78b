#include "expr/evaluate_integer.h"

#include <cassert>
#include <cstdlib>

namespace nfx {
namespace {

uint64_t bits(int64_t value) { return static_cast<uint64_t>(value); }
int64_t from_bits(uint64_t value) { return static_cast<int64_t>(value); }

// Toward zero. The smallest number divided by -1 wraps to itself.
int64_t divide(Dtype dtype, int64_t x, int64_t y) {
  if (y == 0) return 0;
  if (dtype == Dtype::kUInt64) return from_bits(bits(x) / bits(y));
  if (y == -1) return from_bits(-bits(x));
  return x / y;
}

int64_t rest(Dtype dtype, int64_t x, int64_t y) {
  if (y == 0) return 0;
  return from_bits(bits(x) - bits(divide(dtype, x, y)) * bits(y));
}

bool signs_differ(Dtype dtype, int64_t x, int64_t y) {
  return dtype != Dtype::kUInt64 && (x < 0) != (y < 0);
}

int64_t floor_divide(Dtype dtype, int64_t x, int64_t y) {
  const bool below = rest(dtype, x, y) != 0 && signs_differ(dtype, x, y);
  return divide(dtype, x, y) - below;
}

int64_t python_remainder(Dtype dtype, int64_t x, int64_t y) {
  const int64_t truncated = rest(dtype, x, y);
  return truncated != 0 && signs_differ(dtype, truncated, y) ? truncated + y : truncated;
}

// By squaring, wrapping. A negative exponent gives the integral part of the
// reciprocal: 1 and -1 stay, all else becomes 0.
int64_t power(Dtype dtype, int64_t base, int64_t exponent) {
  if (exponent < 0 && dtype != Dtype::kUInt64) {
    if (base == 1) return 1;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
    return 0;
  }
  uint64_t result = 1;
  uint64_t square = bits(base);
  for (uint64_t left = bits(exponent); left != 0; left >>= 1, square *= square) {
    if ((left & 1) != 0) result *= square;
  }
  return from_bits(result);
}

int64_t shift(ExprOp op, Dtype dtype, int64_t x, int64_t amount) {
  const int width = dtype_size(dtype) * 8;
  const bool outside = amount < 0 || amount >= width;
  if (op == ExprOp::kShl) return outside ? 0 : from_bits(bits(x) << amount);
  if (is_signed(dtype)) return x >> (outside ? width - 1 : amount);
  return outside ? 0 : from_bits(bits(x) >> amount);
}

int64_t bitwise(ExprOp op, int64_t x, int64_t y) {
  switch (op) {
    case ExprOp::kAnd: return x & y;
    case ExprOp::kOr: return x | y;
    case ExprOp::kXor: return x ^ y;
    default: assert(false && "not a binary operation on integers"); return x;
  }
}

bool less(Dtype dtype, int64_t x, int64_t y) {
  return dtype == Dtype::kUInt64 ? bits(x) < bits(y) : x < y;
}

}  // namespace

int64_t integer_unary(ExprOp op, Dtype dtype, int64_t x) {
  const bool negative = is_signed(dtype) && x < 0;
  switch (op) {
    case ExprOp::kNeg: return from_bits(-bits(x));
    case ExprOp::kAbs: return negative ? from_bits(-bits(x)) : x;
    case ExprOp::kSign: return negative ? -1 : x != 0;
    case ExprOp::kNot: return dtype == Dtype::kBool ? x == 0 : ~x;
    case ExprOp::kFloor:
    case ExprOp::kCeil:
    case ExprOp::kTrunc:
    case ExprOp::kRound: return x;
    default: assert(false && "not a unary operation on integers"); return x;
  }
}

int64_t integer_binary(ExprOp op, Dtype dtype, int64_t x, int64_t y) {
  switch (op) {
    case ExprOp::kAdd: return from_bits(bits(x) + bits(y));
    case ExprOp::kSub: return from_bits(bits(x) - bits(y));
    case ExprOp::kMul: return from_bits(bits(x) * bits(y));
    case ExprOp::kDiv: return divide(dtype, x, y);
    case ExprOp::kFloorDiv: return floor_divide(dtype, x, y);
    case ExprOp::kRemainder: return python_remainder(dtype, x, y);
    case ExprOp::kFmod: return rest(dtype, x, y);
    case ExprOp::kPow: return power(dtype, x, y);
    case ExprOp::kMin:
    case ExprOp::kFmin: return less(dtype, x, y) ? x : y;
    case ExprOp::kMax:
    case ExprOp::kFmax: return less(dtype, y, x) ? x : y;
    case ExprOp::kShl:
    case ExprOp::kShr: return shift(op, dtype, x, y);
    default: return bitwise(op, x, y);
  }
}

}  // namespace nfx
