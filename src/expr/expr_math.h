// Operators and functions on Expr. A C++ number on either side takes the dtype
// of the other operand.
#pragma once
#include <concepts>

#include "expr/expr.h"

namespace nfx {

template <class T>
concept CppNumber = std::integral<T> || std::floating_point<T>;

template <CppNumber T>
Expr number_like(Expr like, T value) {
  if constexpr (std::integral<T>) {
    if (!is_floating(like.dtype())) {
      return {like.pool, like.pool->constant(like.dtype(), static_cast<int64_t>(value))};
    }
  }
  return literal(like, static_cast<double>(value));
}

#define NFX_EXPR_BINARY(function, op)                                       \
  inline Expr function(Expr x, Expr y) { return binary(ExprOp::op, x, y); } \
  template <CppNumber T>                                                    \
  Expr function(Expr x, T y) {                                              \
    return binary(ExprOp::op, x, number_like(x, y));                        \
  }                                                                         \
  template <CppNumber T>                                                    \
  Expr function(T x, Expr y) {                                              \
    return binary(ExprOp::op, number_like(y, x), y);                        \
  }

NFX_EXPR_BINARY(operator+, kAdd)
NFX_EXPR_BINARY(operator-, kSub)
NFX_EXPR_BINARY(operator*, kMul)
NFX_EXPR_BINARY(operator/, kDiv)
NFX_EXPR_BINARY(operator==, kEq)
NFX_EXPR_BINARY(operator!=, kNe)
NFX_EXPR_BINARY(operator<, kLt)
NFX_EXPR_BINARY(operator<=, kLe)
NFX_EXPR_BINARY(operator>, kGt)
NFX_EXPR_BINARY(operator>=, kGe)
NFX_EXPR_BINARY(operator&, kAnd)
NFX_EXPR_BINARY(operator|, kOr)
NFX_EXPR_BINARY(operator^, kXor)
NFX_EXPR_BINARY(operator<<, kShl)
NFX_EXPR_BINARY(operator>>, kShr)
NFX_EXPR_BINARY(floordiv, kFloorDiv)
NFX_EXPR_BINARY(remainder, kRemainder)
NFX_EXPR_BINARY(fmod, kFmod)
NFX_EXPR_BINARY(pow, kPow)
NFX_EXPR_BINARY(atan2, kAtan2)
NFX_EXPR_BINARY(hypot, kHypot)
NFX_EXPR_BINARY(copysign, kCopysign)
NFX_EXPR_BINARY(nextafter, kNextafter)
NFX_EXPR_BINARY(min_nan, kMin)  // NaN if either is NaN
NFX_EXPR_BINARY(max_nan, kMax)
NFX_EXPR_BINARY(fmin, kFmin)  // the number if one is NaN
NFX_EXPR_BINARY(fmax, kFmax)
#undef NFX_EXPR_BINARY

#define NFX_EXPR_UNARY(function, op) \
  inline Expr function(Expr x) { return unary(ExprOp::op, x); }

NFX_EXPR_UNARY(operator-, kNeg)
NFX_EXPR_UNARY(operator!, kNot)
NFX_EXPR_UNARY(operator~, kNot)
NFX_EXPR_UNARY(abs, kAbs)
NFX_EXPR_UNARY(sign, kSign)
NFX_EXPR_UNARY(sqrt, kSqrt)
NFX_EXPR_UNARY(rsqrt, kRsqrt)
NFX_EXPR_UNARY(exp, kExp)
NFX_EXPR_UNARY(exp2, kExp2)
NFX_EXPR_UNARY(expm1, kExpm1)
NFX_EXPR_UNARY(log, kLog)
NFX_EXPR_UNARY(log2, kLog2)
NFX_EXPR_UNARY(log10, kLog10)
NFX_EXPR_UNARY(log1p, kLog1p)
NFX_EXPR_UNARY(sin, kSin)
NFX_EXPR_UNARY(cos, kCos)
NFX_EXPR_UNARY(tan, kTan)
NFX_EXPR_UNARY(asin, kAsin)
NFX_EXPR_UNARY(acos, kAcos)
NFX_EXPR_UNARY(atan, kAtan)
NFX_EXPR_UNARY(sinh, kSinh)
NFX_EXPR_UNARY(cosh, kCosh)
NFX_EXPR_UNARY(tanh, kTanh)
NFX_EXPR_UNARY(asinh, kAsinh)
NFX_EXPR_UNARY(acosh, kAcosh)
NFX_EXPR_UNARY(atanh, kAtanh)
NFX_EXPR_UNARY(erf, kErf)
NFX_EXPR_UNARY(erfc, kErfc)
NFX_EXPR_UNARY(sigmoid, kSigmoid)
NFX_EXPR_UNARY(lgamma, kLgamma)
NFX_EXPR_UNARY(floor, kFloor)
NFX_EXPR_UNARY(ceil, kCeil)
NFX_EXPR_UNARY(trunc, kTrunc)
NFX_EXPR_UNARY(round, kRound)
NFX_EXPR_UNARY(isnan, kIsNan)
NFX_EXPR_UNARY(isinf, kIsInf)
#undef NFX_EXPR_UNARY

template <CppNumber T>
Expr select(Expr condition, T if_true, Expr if_false) {
  return select(condition, number_like(if_false, if_true), if_false);
}
template <CppNumber T>
Expr select(Expr condition, Expr if_true, T if_false) {
  return select(condition, if_true, number_like(if_true, if_false));
}

}  // namespace nfx
