// What every ExprOp means on values: the single definition that constant
// folding, the reference interpreter and the tests of generated code share.
//
// - float32 results are those of exact (double) arithmetic rounded once, so a
//   library function is correct to the last bit or nearly; float16 and bfloat16
//   compute in float and round when stored or cast.
// - Integers wrap at their width. Division, floor division, remainder and fmod by
//   zero give 0. A shift by a negative or too large amount gives 0, or the sign
//   for a signed right shift.
// - float -> integer truncates. NaN and what does not fit give the smallest int64
//   (for 64-bit and uint32 targets) or the smallest int32 (others), wrapped to the
//   target's width: what x86's conversion instructions give.
#pragma once
#include "expr/expr.h"
#include "expr/value.h"

namespace nfx {

Value constant_value(const ExprNode& node);  // of a kConst

// The value of a node that is neither a leaf nor a load, from its operands'.
Value evaluate(const ExprNode& node, const Value* operands);

Value evaluate_cast(const Value& value, Dtype dtype);
Value evaluate_unary(ExprOp op, const Value& x);
Value evaluate_binary(ExprOp op, const Value& x, const Value& y);

}  // namespace nfx
