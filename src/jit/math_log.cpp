// Logarithms: x = 2^e m with m in [sqrt(1/2), sqrt(2)), so that numbers near 1
// keep e = 0 and lose nothing.
#include <cmath>
#include <limits>

#include "jit/math_builder.h"
#include "jit/polynomials.h"

namespace nfx::jit {
namespace {

constexpr int64_t kRootBits64 = 0x3fe6a09e667f3bcd;  // of sqrt(1/2)
constexpr int64_t kRootBits32 = 0x3f3504f3;
constexpr double kLn2High32 = 0x1.62ep-1;  // 12 bits: exact times an exponent
constexpr double kLn2Low32 = 0x1.0bfbe8e7bcd5ep-15;
constexpr double kLn2High64 = 0x1.62e42fefa38p-1;
constexpr double kLn2Low64 = 0x1.ef35793c7673p-45;

}  // namespace

MathBuilder::Split MathBuilder::split(V x) {
  const bool wide = is_double(x);
  const int mantissa = wide ? 52 : 23;
  const int64_t bias = wide ? 1023 : 127;
  const int64_t root = wide ? kRootBits64 : kRootBits32;
  V denormal = b_.CreateFCmpOLT(x, number(x, wide ? 0x1p-1022 : 0x1p-126));
  V raised = b_.CreateFMul(x, number(x, std::ldexp(1, mantissa)));
  x = b_.CreateSelect(denormal, raised, x);
  V offset = b_.CreateSub(bits(x), integer(x, root));
  V biased =
      b_.CreateLShr(b_.CreateAdd(offset, integer(x, bias << mantissa)), integer(x, mantissa));
  V lowered = b_.CreateSelect(denormal, integer(x, bias + mantissa), integer(x, bias));
  V exponent = b_.CreateSub(biased, lowered);
  V fraction = b_.CreateAnd(offset, integer(x, (int64_t{1} << mantissa) - 1));
  V significand = from_bits(b_.CreateAdd(fraction, integer(x, root)), x);
  // The inverse of taking an integer from the low bits of a shifted number.
  V shifted = from_bits(b_.CreateAdd(exponent, bits(shifter(x))), x);
  return {b_.CreateFSub(shifted, shifter(x)), b_.CreateFSub(significand, number(x, 1))};
}

llvm::Value* MathBuilder::log_tail(V f) {
  V square = b_.CreateFMul(f, f);
  if (!is_double(f)) {
    V inner = mul_add(f, polynomial(f, kLogTail32), number(f, -0.5));
    return b_.CreateFMul(square, inner);
  }
  // log(1+f) = 2 atanh(s), s = f / (2+f); written so that f itself is added last.
  V s = b_.CreateFDiv(f, b_.CreateFAdd(f, number(f, 2)));
  V z = b_.CreateFMul(s, s);
  V rest = b_.CreateFMul(z, polynomial(z, kAtanhTail64));
  V half = b_.CreateFMul(square, number(f, 0.5));
  return b_.CreateFSub(b_.CreateFMul(s, b_.CreateFAdd(half, rest)), half);
}

llvm::Value* MathBuilder::log_specials(V x, V result) {
  V infinity = number(x, std::numeric_limits<double>::infinity());
  V nan = number(x, std::numeric_limits<double>::quiet_NaN());
  V zero = number(x, 0);
  V at_pole = b_.CreateSelect(b_.CreateFCmpOEQ(x, zero), b_.CreateFNeg(infinity), nan);
  result = b_.CreateSelect(b_.CreateFCmpOLT(x, infinity), result, x);  // infinity and NaN stay
  return b_.CreateSelect(b_.CreateFCmpOLE(x, zero), at_pole, result);
}

llvm::Value* MathBuilder::log(V x, const Base& base) {
  const bool natural = base.high == 1;
  if (!is_double(x) && !natural) return narrow(log(widen(x), base));
  const Split parts = split(x);
  V tail = log_tail(parts.excess);
  if (natural) {
    const bool wide = is_double(x);
    V low = mul_add(parts.exponent, number(x, wide ? kLn2Low64 : kLn2Low32), tail);
    V sum = b_.CreateFAdd(parts.excess, low);
    return log_specials(x, fma(parts.exponent, number(x, wide ? kLn2High64 : kLn2High32), sum));
  }
  V low = b_.CreateFMul(parts.excess, number(x, base.low));
  low = mul_add(parts.exponent, number(x, base.exponent_low), low);
  low = mul_add(tail, number(x, base.high), low);
  V sum = fma(parts.excess, number(x, base.high), low);
  return log_specials(x, fma(parts.exponent, number(x, base.exponent_high), sum));
}

// log(u) with u = 1 + x rounded, plus what the rounding lost, relative to u. Where
// u stays in the middle interval x itself is the excess.
llvm::Value* MathBuilder::log1p(V x) {
  const bool wide = is_double(x);
  V one = number(x, 1);
  V zero = number(x, 0);
  V u = b_.CreateFAdd(x, one);
  const Split parts = split(u);
  V large = b_.CreateFCmpOGT(x, one);
  V lost = b_.CreateSelect(large, b_.CreateFSub(one, b_.CreateFSub(u, x)),
                           b_.CreateFSub(x, b_.CreateFSub(u, one)));
  V middle = b_.CreateFCmpOEQ(parts.exponent, zero);
  lost = b_.CreateSelect(middle, zero, b_.CreateFDiv(lost, u));
  V excess = b_.CreateSelect(middle, x, parts.excess);
  V low = mul_add(parts.exponent, number(x, wide ? kLn2Low64 : kLn2Low32), lost);
  V sum = b_.CreateFAdd(excess, b_.CreateFAdd(low, log_tail(excess)));
  V result = fma(parts.exponent, number(x, wide ? kLn2High64 : kLn2High32), sum);
  result = log_specials(u, result);
  V infinite = b_.CreateFCmpOEQ(x, number(x, std::numeric_limits<double>::infinity()));
  V same = b_.CreateOr(infinite, b_.CreateFCmpOEQ(x, zero));
  return b_.CreateSelect(same, x, result);
}

}  // namespace nfx::jit
