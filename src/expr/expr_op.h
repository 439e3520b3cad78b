// The operations a scalar expression is made of. Each row: enumerator, name in
// the text form, number of operands.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "ir/dtype.h"

namespace nfx {

// clang-format off
#define NFX_EXPR_OPS(X) \
  /* leaves; the payload says which one */ \
  X(kConst, "const", 0)      /* bits of the value: double for floats, int64 otherwise */ \
  X(kParam, "param", 0)      /* operand number of an op row */ \
  X(kIndex, "index", 0)      /* int64: current position in loop dimension `payload` */ \
  X(kScalar, "scalar", 0)    /* kernel scalar `payload` (int64 or float64) */ \
  X(kReduced, "reduced", 0)  /* result of a reduction: number << 8 | component */ \
  X(kState, "state", 0)      /* inside a monoid: component of the running state */ \
  X(kOther, "other", 0)      /* inside a monoid's merge: component of the second state */ \
  /* payload is the buffer; operands are offset in elements, optional guard */ \
  X(kLoad, "load", 2) \
  X(kCast, "cast", 1) \
  X(kSelect, "select", 3) \
  /* unary */ \
  X(kNeg, "neg", 1) X(kAbs, "abs", 1) X(kSign, "sign", 1) \
  X(kSqrt, "sqrt", 1) X(kRsqrt, "rsqrt", 1) \
  X(kExp, "exp", 1) X(kExp2, "exp2", 1) X(kExpm1, "expm1", 1) \
  X(kLog, "log", 1) X(kLog2, "log2", 1) X(kLog10, "log10", 1) X(kLog1p, "log1p", 1) \
  X(kSin, "sin", 1) X(kCos, "cos", 1) X(kTan, "tan", 1) \
  X(kAsin, "asin", 1) X(kAcos, "acos", 1) X(kAtan, "atan", 1) \
  X(kSinh, "sinh", 1) X(kCosh, "cosh", 1) X(kTanh, "tanh", 1) \
  X(kAsinh, "asinh", 1) X(kAcosh, "acosh", 1) X(kAtanh, "atanh", 1) \
  X(kErf, "erf", 1) X(kErfc, "erfc", 1) X(kSigmoid, "sigmoid", 1) X(kLgamma, "lgamma", 1) \
  X(kFloor, "floor", 1) X(kCeil, "ceil", 1) X(kTrunc, "trunc", 1) \
  X(kRound, "round", 1)      /* half to even */ \
  X(kNot, "not", 1)          /* bool: logical; integers: bitwise */ \
  X(kIsNan, "isnan", 1) X(kIsInf, "isinf", 1) \
  /* binary; integer arithmetic wraps */ \
  X(kAdd, "add", 2) X(kSub, "sub", 2) X(kMul, "mul", 2) \
  X(kDiv, "div", 2)            /* floats: IEEE; integers: toward zero, 0 if the divisor is 0 */ \
  X(kFloorDiv, "floordiv", 2)  /* as Python's //; integers: 0 if the divisor is 0 */ \
  X(kRemainder, "remainder", 2)/* as Python's %, sign of the divisor; integers: 0 if it is 0 */ \
  X(kFmod, "fmod", 2)          /* as C's fmod, sign of the dividend; integers: 0 as above */ \
  X(kPow, "pow", 2) X(kAtan2, "atan2", 2) X(kHypot, "hypot", 2) X(kCopysign, "copysign", 2) \
  X(kNextafter, "nextafter", 2) \
  X(kMin, "min", 2) X(kMax, "max", 2)     /* NaN if either is NaN; of equals the second */ \
  X(kFmin, "fmin", 2) X(kFmax, "fmax", 2) /* the number if one is NaN */ \
  X(kAnd, "and", 2) X(kOr, "or", 2) X(kXor, "xor", 2) X(kShl, "shl", 2) X(kShr, "shr", 2) \
  X(kEq, "eq", 2) X(kNe, "ne", 2) X(kLt, "lt", 2) X(kLe, "le", 2) X(kGt, "gt", 2) X(kGe, "ge", 2)
// clang-format on

enum class ExprOp : uint8_t {
#define NFX_EXPR_ENUMERATOR(name, text, arity) name,
  NFX_EXPR_OPS(NFX_EXPR_ENUMERATOR)
#undef NFX_EXPR_ENUMERATOR
};

std::string_view name(ExprOp op);
std::optional<ExprOp> expr_op_from_name(std::string_view name);
int arity(ExprOp op);  // the second operand of kLoad, its guard, may be missing
bool is_leaf(ExprOp op);
bool is_comparison(ExprOp op);
bool is_predicate(ExprOp op);  // comparison, kIsNan, kIsInf: the result is bool

// Whether the operation is defined on operands of this dtype. Bool has no
// arithmetic, only logic, comparison, min and max; transcendental functions
// want a floating dtype; bitwise ones an integral dtype or bool.
bool applies_to(ExprOp op, Dtype operand);

// Dtypes that scalar expressions compute with: bool, the integers of 8 to 64
// bits, float16, bfloat16, float32 and float64.
bool is_computable(Dtype dtype);

}  // namespace nfx
