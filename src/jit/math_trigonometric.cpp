// Sine, cosine and tangent: x = n pi/2 + r with |r| <= pi/4. Floats are reduced
// and evaluated in double. Arguments too large for a reduction in two or three
// steps go to the host's function, lane by lane.
#include "jit/math_builder.h"
#include "jit/polynomials.h"

namespace nfx::jit {
namespace {

constexpr double kHalfPi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
constexpr double kFloatLimit = 0x1p28;
constexpr double kDoubleLimit = 0x1p20;
constexpr std::string_view kNames[] = {"sin", "cos", "tan"};

}  // namespace

llvm::Value* MathBuilder::trigonometric_reduced(V x, Trig which, bool narrow_result) {
  V shifted = fma(x, number(x, kTwoOverPi), shifter(x));
  V whole = b_.CreateFNeg(b_.CreateFSub(shifted, shifter(x)));
  V high_part = fma(whole, number(x, kHalfPi[0]), x);  // exact
  V r = fma(whole, number(x, kHalfPi[1]), high_part);
  V low = number(x, 0);
  if (!narrow_result) {  // what the second step rounded off, and the third
    low = fma(whole, number(x, kHalfPi[1]), b_.CreateFSub(high_part, r));
    low = fma(whole, number(x, kHalfPi[2]), low);
  }
  V z = b_.CreateFMul(r, r);
  V sine_tail = narrow_result ? polynomial(z, kSinTail32) : polynomial(z, kSinTail64);
  V cosine_tail = narrow_result ? polynomial(z, kCosTail32) : polynomial(z, kCosTail64);
  V sine = b_.CreateFAdd(r, mul_add(b_.CreateFMul(r, z), sine_tail, low));
  // What 1 - z/2 loses is given back.
  V half = b_.CreateFMul(z, number(x, 0.5));
  V high = b_.CreateFSub(number(x, 1), half);
  V lost = b_.CreateFSub(b_.CreateFSub(number(x, 1), high), half);
  if (!narrow_result) lost = mul_add(b_.CreateFNeg(r), low, lost);
  V cosine = b_.CreateFAdd(high, mul_add(b_.CreateFMul(z, z), cosine_tail, lost));

  V quadrant = bits(shifted);
  V zero = integer(x, 0);
  V odd = b_.CreateICmpNE(b_.CreateAnd(quadrant, integer(x, 1)), zero);
  if (which == Trig::kTan) {
    V above = b_.CreateSelect(odd, b_.CreateFNeg(cosine), sine);
    return b_.CreateFDiv(above, b_.CreateSelect(odd, sine, cosine));
  }
  if (which == Trig::kCos) quadrant = b_.CreateAdd(quadrant, integer(x, 1));
  V value =
      which == Trig::kSin ? b_.CreateSelect(odd, cosine, sine) : b_.CreateSelect(odd, sine, cosine);
  V negative = b_.CreateICmpNE(b_.CreateAnd(quadrant, integer(x, 2)), zero);
  return b_.CreateSelect(negative, b_.CreateFNeg(value), value);
}

llvm::Value* MathBuilder::trigonometric(V x, Trig which) {
  const bool wide = is_double(x);
  V inside = b_.CreateFCmpOLT(abs(x), number(x, wide ? kDoubleLimit : kFloatLimit));
  V fast = trigonometric_reduced(widen(x), which, !wide);
  if (!wide) fast = narrow(fast);
  if (which != Trig::kCos) {  // keeps the sign of zero
    fast = b_.CreateSelect(b_.CreateFCmpOEQ(x, number(x, 0)), x, fast);
  }
  return unless_any(b_.CreateNot(inside), fast, kNames[static_cast<int>(which)], x);
}

}  // namespace nfx::jit
