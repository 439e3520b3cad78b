// The error function: an odd polynomial near zero, elsewhere 1 - erfc with
// erfc(t) = exp(-g(t)) and a polynomial g, whose error erfc itself damps.
#include "jit/math_builder.h"
#include "jit/polynomials.h"

namespace nfx::jit {

llvm::Value* MathBuilder::erfc_exponent(V t) {
  if (!is_double(t)) return polynomial(t, kErfcExponent32);
  V low = polynomial(t, kErfcExponent64Low);
  V high = polynomial(t, kErfcExponent64High);
  return b_.CreateSelect(b_.CreateFCmpOLT(t, number(t, 2.5)), low, high);
}

llvm::Value* MathBuilder::erf(V x) {
  V magnitude = at_most(abs(x), is_double(x) ? 6 : 4);
  V square = b_.CreateFMul(x, x);
  V ratio = is_double(x) ? polynomial(square, kErfTail64) : polynomial(square, kErfTail32);
  V small = mul_add(x, ratio, x);
  V decay = exp(b_.CreateFNeg(erfc_exponent(magnitude)));
  V large = b_.CreateFSub(number(x, 1), decay);
  V near = b_.CreateFCmpOLT(magnitude, number(x, 0.92));
  return copysign(b_.CreateSelect(near, small, large), x);
}

}  // namespace nfx::jit
