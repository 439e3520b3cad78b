// Hyperbolic functions and their inverses, by exponentials and logarithms. Floats
// are computed in double, so that rounding is the only error that counts.
#include <limits>

#include "jit/math_builder.h"

namespace nfx::jit {
namespace {

constexpr double kLn2 = 0x1.62e42fefa39efp-1;
// Above, the smaller of e^x and e^-x does not count.
constexpr double kOneSided = 20;
// Above, x^2 + 1 is x^2.
constexpr double kSquareOnly = 0x1p28;

}  // namespace

llvm::Value* MathBuilder::hyperbolic(ExprOp op, V x) {
  if (!is_double(x)) return narrow(hyperbolic(op, widen(x)));
  switch (op) {
    case ExprOp::kSinh: return sinh(x);
    case ExprOp::kCosh: return cosh(x);
    case ExprOp::kAsinh: return asinh(x);
    case ExprOp::kAcosh: return acosh(x);
    default: return atanh(x);
  }
}

// e^|x| / 2 by the square of e^(|x|/2), which does not overflow early.
llvm::Value* MathBuilder::half_exp(V magnitude) {
  V root = exp(b_.CreateFMul(magnitude, number(magnitude, 0.5)));
  return b_.CreateFMul(b_.CreateFMul(root, number(root, 0.5)), root);
}

llvm::Value* MathBuilder::sinh(V x) {
  V magnitude = abs(x);
  V grown = expm1(at_most(magnitude, kOneSided));
  V both = b_.CreateFAdd(grown, b_.CreateFDiv(grown, b_.CreateFAdd(grown, number(x, 1))));
  both = b_.CreateFMul(both, number(x, 0.5));
  V near = b_.CreateFCmpOLT(magnitude, number(x, kOneSided));
  return copysign(b_.CreateSelect(near, both, half_exp(magnitude)), x);
}

llvm::Value* MathBuilder::cosh(V x) {
  V magnitude = abs(x);
  V power = exp(at_most(magnitude, kOneSided));
  V both = b_.CreateFAdd(power, b_.CreateFDiv(number(x, 1), power));
  both = b_.CreateFMul(both, number(x, 0.5));
  V near = b_.CreateFCmpOLT(magnitude, number(x, kOneSided));
  return b_.CreateSelect(near, both, half_exp(magnitude));
}

llvm::Value* MathBuilder::log_of_double(V x) {
  return b_.CreateFAdd(function(ExprOp::kLog, {x}), number(x, kLn2));
}

llvm::Value* MathBuilder::asinh(V x) {
  V magnitude = abs(x);
  V square = b_.CreateFMul(magnitude, magnitude);
  V root = b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, b_.CreateFAdd(square, number(x, 1)));
  V excess = b_.CreateFDiv(square, b_.CreateFAdd(root, number(x, 1)));
  V near = log1p(b_.CreateFAdd(magnitude, excess));
  V is_far = b_.CreateFCmpOGT(magnitude, number(x, kSquareOnly));
  return copysign(b_.CreateSelect(is_far, log_of_double(magnitude), near), x);
}

llvm::Value* MathBuilder::acosh(V x) {
  V excess = b_.CreateFSub(x, number(x, 1));
  V square = b_.CreateFMul(excess, b_.CreateFAdd(excess, number(x, 2)));
  V root = b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, square);
  V near = log1p(b_.CreateFAdd(excess, root));
  V is_far = b_.CreateFCmpOGT(x, number(x, kSquareOnly));
  V result = b_.CreateSelect(is_far, log_of_double(x), near);
  V nan = number(x, std::numeric_limits<double>::quiet_NaN());
  return b_.CreateSelect(b_.CreateFCmpOLT(x, number(x, 1)), nan, result);
}

llvm::Value* MathBuilder::atanh(V x) {
  V magnitude = abs(x);
  V twice = b_.CreateFMul(magnitude, number(x, 2));
  V ratio = b_.CreateFDiv(twice, b_.CreateFSub(number(x, 1), magnitude));
  return copysign(b_.CreateFMul(log1p(ratio), number(x, 0.5)), x);
}

}  // namespace nfx::jit
