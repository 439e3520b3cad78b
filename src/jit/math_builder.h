// Elementary functions on scalars and vectors of float and double, as straight
// code around polynomials. Each is within about 2 ulp, with NaN, infinities,
// signed zeros and denormals as in IEEE and C.
#pragma once
#include <llvm/IR/IRBuilder.h>

#include <span>
#include <string_view>

#include "expr/expr_op.h"

namespace nfx::jit {

class MathBuilder {
 public:
  explicit MathBuilder(llvm::IRBuilder<>& builder, bool has_scale = false)
      : b_(builder), has_scale_(has_scale) {}

  // The value of a floating operation, null if it is not one of these functions.
  llvm::Value* function(ExprOp op, llvm::ArrayRef<llvm::Value*> operands);

  // Calls the host's function lane by lane. Integers are 64 bits wide.
  llvm::Value* host_call(std::string_view name, llvm::ArrayRef<llvm::Value*> operands,
                         bool is_unsigned = false);

 private:
  using V = llvm::Value*;
  // math_exp.cpp
  V exp(V x);
  V exp2(V x);
  V expm1(V x);
  V sigmoid(V x);
  V tanh(V x);
  V exp_of_reduced(V r);                    // e^r, |r| <= ln(2)/2
  V reduced_tail(V r);                      // e^r - 1 - r
  V scale(V x, V power, V whole);           // x * 2^power, rounded once; whole: power as a float
  V scale_in_one(V x, V power);             // the same by one instruction, null if there is none
  V natural_steps(V x, V* steps, V* rest);  // x = steps*ln(2) + rest
  // math_log.cpp
  struct Split {
    V exponent;  // as a floating number
    V excess;    // mantissa - 1, in [sqrt(1/2) - 1, sqrt(2) - 1)
  };
  struct Base {
    double high, low;                    // 1 / ln(base)
    double exponent_high, exponent_low;  // log_base(2)
  };
  V log(V x, const Base& base);
  V log1p(V x);
  V log_tail(V excess);  // log(1 + excess) - excess
  Split split(V x);
  V log_specials(V x, V result);
  // math_trigonometric.cpp
  enum class Trig : uint8_t { kSin, kCos, kTan };
  V trigonometric(V x, Trig which);
  V trigonometric_reduced(V x, Trig which, bool narrow);
  // math_hyperbolic.cpp
  V hyperbolic(ExprOp op, V x);
  V half_exp(V magnitude);
  V sinh(V x);
  V cosh(V x);
  V log_of_double(V x);
  V asinh(V x);
  V acosh(V x);
  V atanh(V x);
  // math_erf.cpp
  V erf(V x);
  V erfc_exponent(V magnitude);
  // math_pow.cpp
  V pow(V x, V y);
  V pow_magnitude(V x, V y);  // |x|^y of floats, through double
  V pow_specials(V x, V y, V magnitude);

  V number(V like, double value);
  V integer(V like, int64_t value);  // of the lanes' width, as `bits` gives
  V bits(V x);
  V from_bits(V x, V like);
  V fma(V a, V b, V c);      // rounded once
  V mul_add(V a, V b, V c);  // fused where the target does
  V abs(V x);
  V copysign(V magnitude, V sign);
  V polynomial(V x, std::span<const double> coefficients);
  V at_most(V x, double limit);   // NaN stays
  V at_least(V x, double limit);  // NaN stays
  V shifter(V like);              // adding it rounds to an integer kept in the low bits
  V widen(V x);                   // to double
  V narrow(V x);                  // to float
  V any_lane(V condition);
  // `fast`, or the host's function where some lane's condition holds.
  V unless_any(V condition, V fast, std::string_view name, V operand);
  static bool is_double(V x) { return x->getType()->getScalarType()->isDoubleTy(); }

  llvm::IRBuilder<>& b_;
  bool has_scale_;
};

}  // namespace nfx::jit
