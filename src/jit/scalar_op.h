// One scalar operation on registers, alike for scalars and vectors.
#pragma once
#include "expr/expr.h"
#include "jit/math_builder.h"

namespace nfx::jit {

struct OpContext {
  llvm::IRBuilder<>& b;
  MathBuilder& math;
};

// The value of `node`, which is neither a leaf nor a load. `dtype` is that of its
// first operand (of the second for kSelect).
llvm::Value* emit_op(OpContext& context, const ExprNode& node, Dtype dtype,
                     llvm::ArrayRef<llvm::Value*> operands);

llvm::Value* emit_float_op(OpContext& context, ExprOp op, llvm::ArrayRef<llvm::Value*> operands);
llvm::Value* emit_integer_op(OpContext& context, ExprOp op, Dtype dtype,
                             llvm::ArrayRef<llvm::Value*> operands);
llvm::Value* emit_cast(OpContext& context, Dtype from, Dtype to, llvm::Value* value);

}  // namespace nfx::jit
