#include "ir/sym_range.h"

#include <algorithm>

namespace nfx {
namespace {

constexpr int64_t kMinusInf = INT64_MIN;
constexpr int64_t kPlusInf = INT64_MAX;

bool infinite(int64_t v) { return v == kMinusInf || v == kPlusInf; }

int64_t saturated_add(int64_t a, int64_t b) {
  int64_t sum;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? kMinusInf : kPlusInf;
}

int64_t bound_mul(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  int64_t product;
  if (!infinite(a) && !infinite(b) && !__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) == (b < 0) ? kPlusInf : kMinusInf;
}

// Floor of the quotient of two bounds; the divisor is not zero.
int64_t bound_floordiv(int64_t a, int64_t b) {
  if (infinite(a)) return (a < 0) == (b < 0) ? kPlusInf : kMinusInf;
  if (infinite(b)) return a == 0 || (a < 0) == (b < 0) ? 0 : -1;
  return *checked_floordiv(a, b);
}

SymRange hull(std::initializer_list<int64_t> corners) {
  return {std::min(corners), std::max(corners)};
}

SymRange range_square(SymRange a) {
  SymRange product = hull({bound_mul(a.lower, a.lower), bound_mul(a.upper, a.upper)});
  if (a.lower <= 0 && a.upper >= 0) product.lower = 0;
  return product;
}

SymRange range_product(std::span<const SymExprId> operands, std::span<const SymRange> ranges) {
  SymRange product{1, 1};
  for (size_t i = 0; i < ranges.size(); ++i) {
    bool square = i + 1 < ranges.size() && operands[i] == operands[i + 1];
    product = range_mul(product, square ? range_square(ranges[i]) : ranges[i]);
    if (square) ++i;
  }
  return product;
}

template <class Pick>
SymRange fold(std::span<const SymRange> ranges, Pick pick) {
  SymRange result = ranges[0];
  for (SymRange r : ranges.subspan(1)) {
    result = {pick(result.lower, r.lower), pick(result.upper, r.upper)};
  }
  return result;
}

}  // namespace

std::optional<int64_t> checked_floordiv(int64_t a, int64_t b) {
  if (b == 0 || (a == INT64_MIN && b == -1)) return std::nullopt;
  int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

std::optional<int64_t> checked_mod(int64_t a, int64_t b) {
  if (b == 0) return std::nullopt;
  if (b == -1) return 0;
  int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

std::optional<int64_t> checked_pow(int64_t base, int64_t exponent) {
  if (exponent < 0) return std::nullopt;
  if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  int64_t result = 1;
  for (; exponent > 0; --exponent) {
    if (__builtin_mul_overflow(result, base, &result)) return std::nullopt;
  }
  return result;
}

SymRange range_add(SymRange a, SymRange b) {
  auto low = [](int64_t x, int64_t y) {
    return x == kMinusInf || y == kMinusInf ? kMinusInf : saturated_add(x, y);
  };
  auto high = [](int64_t x, int64_t y) {
    return x == kPlusInf || y == kPlusInf ? kPlusInf : saturated_add(x, y);
  };
  return {low(a.lower, b.lower), high(a.upper, b.upper)};
}

SymRange range_mul(SymRange a, SymRange b) {
  return hull({bound_mul(a.lower, b.lower), bound_mul(a.lower, b.upper),
               bound_mul(a.upper, b.lower), bound_mul(a.upper, b.upper)});
}

SymRange range_floordiv(SymRange a, SymRange b) {
  if (b.lower <= 0 && b.upper >= 0) return kFullRange;
  return hull({bound_floordiv(a.lower, b.lower), bound_floordiv(a.lower, b.upper),
               bound_floordiv(a.upper, b.lower), bound_floordiv(a.upper, b.upper)});
}

SymRange range_mod(SymRange a, SymRange b) {
  if (b.lower > 0) {
    if (a.lower >= 0 && a.upper < b.lower) return a;
    int64_t top = b.upper == kPlusInf ? kPlusInf : b.upper - 1;
    return {0, a.lower >= 0 ? std::min(a.upper, top) : top};
  }
  if (b.upper < 0) return {b.lower == kMinusInf ? kMinusInf : b.lower + 1, 0};
  return kFullRange;
}

SymRange range_of_op(SymOp op, std::span<const SymExprId> operands,
                     std::span<const SymRange> ranges) {
  switch (op) {
    case SymOp::kAdd: {
      SymRange sum{0, 0};
      for (SymRange r : ranges) sum = range_add(sum, r);
      return sum;
    }
    case SymOp::kMul: return range_product(operands, ranges);
    case SymOp::kFloorDiv: return range_floordiv(ranges[0], ranges[1]);
    case SymOp::kMod: return range_mod(ranges[0], ranges[1]);
    case SymOp::kMax: return fold(ranges, [](int64_t x, int64_t y) { return std::max(x, y); });
    case SymOp::kMin: return fold(ranges, [](int64_t x, int64_t y) { return std::min(x, y); });
    case SymOp::kWhere:
      return {std::min(ranges[1].lower, ranges[2].lower),
              std::max(ranges[1].upper, ranges[2].upper)};
    case SymOp::kPow: return ranges[0].lower >= 0 ? SymRange{0, kPlusInf} : kFullRange;
    case SymOp::kEq:
    case SymOp::kNe:
    case SymOp::kLt:
    case SymOp::kLe:
    case SymOp::kAnd:
    case SymOp::kOr:
    case SymOp::kNot: return {0, 1};
    default: return kFullRange;
  }
}

}  // namespace nfx
