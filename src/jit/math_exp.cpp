// The exponential and what is made of it.
//
// x = n ln(2) + r with an integer n and |r| <= ln(2)/2, e^x = 2^n e^r. The
// integer comes from adding 1.5 * 2^(mantissa bits): the sum's low bits hold it,
// without a conversion that NaN or infinity could break.
#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>
#include <bit>

#include "jit/math_builder.h"
#include "jit/polynomials.h"

namespace nfx::jit {
namespace {

constexpr double kLog2E = 0x1.71547652b82fep+0;
constexpr double kLn2 = 0x1.62e42fefa39efp-1;
constexpr double kLn2Low = 0x1.abc9e3b39803fp-56;
constexpr double kLn2Float = 0x1.62e43p-1;
constexpr double kLn2FloatLow = -0x1.05c61p-29;

}  // namespace

llvm::Value* MathBuilder::natural_steps(V x, V* steps, V* rest) {
  const bool wide = is_double(x);
  V shifted = mul_add(x, number(x, kLog2E), shifter(x));
  V whole = b_.CreateFSub(shifted, shifter(x));
  *steps = b_.CreateSub(bits(shifted), bits(shifter(x)));
  *rest = fma(whole, number(x, wide ? -kLn2 : -kLn2Float), x);
  *rest = fma(whole, number(x, wide ? -kLn2Low : -kLn2FloatLow), *rest);
  return whole;
}

llvm::Value* MathBuilder::reduced_tail(V r) {
  V tail = is_double(r) ? polynomial(r, kExpTail64) : polynomial(r, kExpTail32);
  return b_.CreateFMul(b_.CreateFMul(r, r), tail);
}

llvm::Value* MathBuilder::exp_of_reduced(V r) {
  return b_.CreateFAdd(b_.CreateFAdd(r, reduced_tail(r)), number(r, 1));
}

// AVX-512 takes the power as a floating number.
llvm::Value* MathBuilder::scale_in_one(V x, V power) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  if (!has_scale_ || vector == nullptr) return nullptr;
  const unsigned lanes = vector->getNumElements();
  const bool wide = is_double(x);
  llvm::Intrinsic::ID id = llvm::Intrinsic::not_intrinsic;
  switch (lanes * (wide ? 8 : 4)) {
    case 16:
      id = wide ? llvm::Intrinsic::x86_avx512_mask_scalef_pd_128
                : llvm::Intrinsic::x86_avx512_mask_scalef_ps_128;
      break;
    case 32:
      id = wide ? llvm::Intrinsic::x86_avx512_mask_scalef_pd_256
                : llvm::Intrinsic::x86_avx512_mask_scalef_ps_256;
      break;
    case 64:
      id = wide ? llvm::Intrinsic::x86_avx512_mask_scalef_pd_512
                : llvm::Intrinsic::x86_avx512_mask_scalef_ps_512;
      break;
    default: return nullptr;
  }
  constexpr uint32_t kRoundAsSet = 4;
  llvm::SmallVector<V, 5> operands = {
      x, power, x, llvm::ConstantInt::getAllOnesValue(b_.getIntNTy(std::max(8u, lanes)))};
  if (lanes * (wide ? 8 : 4) == 64) operands.push_back(b_.getInt32(kRoundAsSet));
  return b_.CreateIntrinsic(id, {}, operands);
}

// In two steps, because 2^power itself may be out of range where the product is
// not. The first is exact, so a denormal result is rounded once.
llvm::Value* MathBuilder::scale(V x, V power, V whole) {
  if (V scaled = scale_in_one(x, whole)) return scaled;
  const int mantissa = is_double(x) ? 52 : 23;
  const int bias = is_double(x) ? 1023 : 127;
  V half = b_.CreateAShr(power, integer(x, 1));
  const auto factor = [&](V exponent) {
    V biased = b_.CreateAdd(exponent, integer(x, bias));
    return from_bits(b_.CreateShl(biased, integer(x, mantissa)), x);
  };
  x = b_.CreateFMul(x, factor(half));
  return b_.CreateFMul(x, factor(b_.CreateSub(power, half)));
}

llvm::Value* MathBuilder::exp(V x) {
  x = at_least(at_most(x, is_double(x) ? 710 : 89), is_double(x) ? -746 : -104);
  V steps = nullptr;
  V rest = nullptr;
  V whole = natural_steps(x, &steps, &rest);
  return scale(exp_of_reduced(rest), steps, whole);
}

llvm::Value* MathBuilder::exp2(V x) {
  const bool wide = is_double(x);
  x = at_least(at_most(x, wide ? 1025 : 129), wide ? -1076 : -151);
  V shifted = b_.CreateFAdd(x, shifter(x));
  V whole = b_.CreateFSub(shifted, shifter(x));
  V rest = b_.CreateFSub(x, whole);
  V steps = b_.CreateSub(bits(shifted), bits(shifter(x)));
  V low = b_.CreateFMul(rest, number(x, wide ? kLn2Low : kLn2FloatLow));
  V r = fma(rest, number(x, wide ? kLn2 : kLn2Float), low);
  return scale(exp_of_reduced(r), steps, whole);
}

// 2^n (e^r - 1) + (2^n - 1), halved so that n = 128 (1024) does not overflow early.
llvm::Value* MathBuilder::expm1(V argument) {
  const bool wide = is_double(argument);
  V x = at_least(at_most(argument, wide ? 710 : 89), wide ? -60 : -30);
  V steps = nullptr;
  V r = nullptr;
  natural_steps(x, &steps, &r);
  V grown = b_.CreateFAdd(r, reduced_tail(r));
  V exponent = b_.CreateAdd(steps, integer(x, wide ? 1022 : 126));
  V half = from_bits(b_.CreateShl(exponent, integer(x, wide ? 52 : 23)), x);
  V result = fma(half, grown, b_.CreateFSub(half, number(x, 0.5)));
  result = b_.CreateFMul(result, number(x, 2));
  // Keeps the sign of zero.
  return b_.CreateSelect(b_.CreateFCmpOEQ(argument, number(x, 0)), argument, result);
}

// From e^-|x|, which neither overflows nor cancels.
llvm::Value* MathBuilder::sigmoid(V x) {
  V decay = exp(b_.CreateFNeg(abs(x)));
  V one = number(x, 1);
  V above = b_.CreateSelect(b_.CreateFCmpOGE(x, number(x, 0)), one, decay);
  return b_.CreateFDiv(above, b_.CreateFAdd(one, decay));
}

llvm::Value* MathBuilder::tanh(V x) {
  V magnitude = at_most(abs(x), 24);
  if (is_double(x)) {
    V grown = expm1(b_.CreateFMul(magnitude, number(x, 2)));
    return copysign(b_.CreateFDiv(grown, b_.CreateFAdd(grown, number(x, 2))), x);
  }
  V square = b_.CreateFMul(x, x);
  V cube = b_.CreateFMul(square, x);
  V small = mul_add(cube, polynomial(square, kTanhTail32), x);
  V grown = b_.CreateFAdd(exp(b_.CreateFMul(magnitude, number(x, 2))), number(x, 1));
  V large = b_.CreateFSub(number(x, 1), b_.CreateFDiv(number(x, 2), grown));
  V near = b_.CreateFCmpOLT(magnitude, number(x, 0.6));
  return copysign(b_.CreateSelect(near, small, large), x);
}

}  // namespace nfx::jit
