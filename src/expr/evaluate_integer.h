// Integer and bool half of evaluate.h. Values come and go as int64, uint64 as
// the same bits; the caller wraps the result to the dtype's width.
#pragma once
#include <cstdint>

#include "expr/expr_op.h"
#include "ir/dtype.h"

namespace nfx {

int64_t integer_unary(ExprOp op, Dtype dtype, int64_t x);
int64_t integer_binary(ExprOp op, Dtype dtype, int64_t x, int64_t y);

}  // namespace nfx
