// Powers of floats: 2^(y log2|x|) in double, so that rounding to float is the
// only error that counts; then C's rules for signs, zeros, infinities and NaN.
#include <limits>

#include "jit/math_builder.h"
#include "jit/polynomials.h"

namespace nfx::jit {

llvm::Value* MathBuilder::pow_magnitude(V x, V y) {
  V base = abs(widen(x));
  const Split parts = split(base);
  V s = b_.CreateFDiv(parts.excess, b_.CreateFAdd(parts.excess, number(base, 2)));
  V ratio = polynomial(b_.CreateFMul(s, s), kLog2Ratio);
  V logarithm = mul_add(s, ratio, parts.exponent);
  // Doubles that hold a float never reach these limits without over- or underflow.
  V exponent = b_.CreateFMul(widen(y), log_specials(base, logarithm));
  exponent = at_least(at_most(exponent, 200), -200);
  V shifted = b_.CreateFAdd(exponent, shifter(base));
  V rest = b_.CreateFSub(exponent, b_.CreateFSub(shifted, shifter(base)));
  V steps = b_.CreateSub(bits(shifted), bits(shifter(base)));
  V biased = b_.CreateAdd(steps, integer(base, 1023));
  V power = from_bits(b_.CreateShl(biased, integer(base, 52)), base);
  return narrow(b_.CreateFMul(polynomial(rest, kExp2Whole), power));
}

llvm::Value* MathBuilder::pow_specials(V x, V y, V magnitude) {
  V zero = number(x, 0);
  V one = number(x, 1);
  V half = b_.CreateFMul(y, number(y, 0.5));
  const auto is_whole = [&](V value) {
    return b_.CreateFCmpOEQ(b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, value), value);
  };
  V whole = is_whole(y);  // infinities count as even numbers
  V odd = b_.CreateAnd(whole, b_.CreateNot(is_whole(half)));
  V sign_bit = b_.CreateICmpSLT(bits(x), integer(x, 0));
  V flipped = b_.CreateSelect(b_.CreateAnd(sign_bit, odd), b_.CreateFNeg(magnitude), magnitude);
  // A finite negative base has no power that is not a whole number.
  V infinity = number(x, std::numeric_limits<double>::infinity());
  V finite_negative =
      b_.CreateAnd(b_.CreateFCmpOLT(x, zero), b_.CreateFCmpONE(x, b_.CreateFNeg(infinity)));
  V undefined = b_.CreateAnd(finite_negative, b_.CreateNot(whole));
  V nan = number(x, std::numeric_limits<double>::quiet_NaN());
  V result = b_.CreateSelect(undefined, nan, flipped);
  V infinite_power = b_.CreateFCmpOEQ(abs(y), infinity);
  V unit = b_.CreateAnd(infinite_power, b_.CreateFCmpOEQ(abs(x), one));
  V constant_one = b_.CreateOr(b_.CreateFCmpOEQ(y, zero), b_.CreateFCmpOEQ(x, one));
  return b_.CreateSelect(b_.CreateOr(unit, constant_one), one, result);
}

llvm::Value* MathBuilder::pow(V x, V y) {
  if (const auto* constant = llvm::dyn_cast<llvm::Constant>(y)) {
    const llvm::Constant* element =
        constant->getType()->isVectorTy() ? constant->getSplatValue() : constant;
    const auto* value = llvm::dyn_cast_or_null<llvm::ConstantFP>(element);
    if (value != nullptr && value->isExactlyValue(2.0)) return b_.CreateFMul(x, x);
  }
  return pow_specials(x, y, pow_magnitude(x, y));
}

}  // namespace nfx::jit
