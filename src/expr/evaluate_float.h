// Floating-point half of evaluate.h.
#pragma once
#include "expr/expr_op.h"

namespace nfx {

// In double; the caller rounds the result to the dtype.
double float_unary(ExprOp op, double x);

// In the type of the dtype's arithmetic: float for 32 bits and less.
template <class T>
T float_binary(ExprOp op, T x, T y);

extern template float float_binary(ExprOp op, float x, float y);
extern template double float_binary(ExprOp op, double x, double y);

}  // namespace nfx
