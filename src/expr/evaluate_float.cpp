#include "expr/evaluate_float.h"

#include <cassert>
#include <cmath>

namespace nfx {
namespace {

double elementary(ExprOp op, double x) {
  switch (op) {
    case ExprOp::kSqrt: return std::sqrt(x);
    case ExprOp::kRsqrt: return 1 / std::sqrt(x);
    case ExprOp::kExp: return std::exp(x);
    case ExprOp::kExp2: return std::exp2(x);
    case ExprOp::kExpm1: return std::expm1(x);
    case ExprOp::kLog: return std::log(x);
    case ExprOp::kLog2: return std::log2(x);
    case ExprOp::kLog10: return std::log10(x);
    case ExprOp::kLog1p: return std::log1p(x);
    case ExprOp::kErf: return std::erf(x);
    case ExprOp::kErfc: return std::erfc(x);
    case ExprOp::kSigmoid: return 1 / (1 + std::exp(-x));
    case ExprOp::kLgamma: return std::lgamma(x);
    default: assert(false && "not a unary operation on floats"); return x;
  }
}

double trigonometric(ExprOp op, double x) {
  switch (op) {
    case ExprOp::kSin: return std::sin(x);
    case ExprOp::kCos: return std::cos(x);
    case ExprOp::kTan: return std::tan(x);
    case ExprOp::kAsin: return std::asin(x);
    case ExprOp::kAcos: return std::acos(x);
    case ExprOp::kAtan: return std::atan(x);
    case ExprOp::kSinh: return std::sinh(x);
    case ExprOp::kCosh: return std::cosh(x);
    case ExprOp::kTanh: return std::tanh(x);
    case ExprOp::kAsinh: return std::asinh(x);
    case ExprOp::kAcosh: return std::acosh(x);
    case ExprOp::kAtanh: return std::atanh(x);
    default: return elementary(op, x);
  }
}

// The sign of the divisor, as Python's %.
template <class T>
T python_remainder(T x, T y) {
  const T rest = std::fmod(x, y);
  return rest != 0 && (y < 0) != (rest < 0) ? rest + y : rest;
}

// As PyTorch's div(rounding_mode="floor"): exact multiples do not fall one short.
template <class T>
T python_floordiv(T x, T y) {
  if (y == 0) return x / y;
  const T rest = std::fmod(x, y);
  T quotient = (x - rest) / y;
  if (rest != 0 && (y < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(T{0}, x / y);
  const T down = std::floor(quotient);
  return quotient - down > T{0.5} ? down + 1 : down;
}

template <class T>
T extremum(ExprOp op, T x, T y) {
  const bool number_wins = op == ExprOp::kFmin || op == ExprOp::kFmax;
  if (std::isnan(x)) return number_wins ? y : x;
  if (std::isnan(y)) return number_wins ? x : y;
  const bool largest = op == ExprOp::kMax || op == ExprOp::kFmax;
  return (largest ? x > y : x < y) ? x : y;
}

}  // namespace

double float_unary(ExprOp op, double x) {
  switch (op) {
    case ExprOp::kNeg: return -x;
    case ExprOp::kAbs: return std::fabs(x);
    case ExprOp::kSign: return (0 < x) - (x < 0);
    case ExprOp::kFloor: return std::floor(x);
    case ExprOp::kCeil: return std::ceil(x);
    case ExprOp::kTrunc: return std::trunc(x);
    case ExprOp::kRound: return std::nearbyint(x);
    default: return trigonometric(op, x);
  }
}

template <class T>
T float_binary(ExprOp op, T x, T y) {
  switch (op) {
    case ExprOp::kAdd: return x + y;
    case ExprOp::kSub: return x - y;
    case ExprOp::kMul: return x * y;
    case ExprOp::kDiv: return x / y;
    case ExprOp::kFloorDiv: return python_floordiv(x, y);
    case ExprOp::kRemainder: return python_remainder(x, y);
    case ExprOp::kFmod: return std::fmod(x, y);
    // Through double, so that a float result is rounded once.
    case ExprOp::kPow: return static_cast<T>(std::pow(double{x}, double{y}));
    case ExprOp::kAtan2: return static_cast<T>(std::atan2(double{x}, double{y}));
    case ExprOp::kHypot: return static_cast<T>(std::hypot(double{x}, double{y}));
    case ExprOp::kCopysign: return std::copysign(x, y);
    case ExprOp::kNextafter: return std::nextafter(x, y);
    case ExprOp::kMin:
    case ExprOp::kMax:
    case ExprOp::kFmin:
    case ExprOp::kFmax: return extremum(op, x, y);
    default: assert(false && "not a binary operation on floats"); return x;
  }
}

template float float_binary(ExprOp op, float x, float y);
template double float_binary(ExprOp op, double x, double y);

}  // namespace nfx
