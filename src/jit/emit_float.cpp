#include <limits>

#include "jit/scalar_op.h"
#include "jit/types.h"

namespace nfx::jit {
namespace {

using V = llvm::Value*;

bool is_number(V value) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  if (constant == nullptr) return false;
  if (constant->getType()->isVectorTy()) constant = constant->getSplatValue();
  const auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
  return number != nullptr && !number->isNaN();
}

// The NaN of either operand wins. With the operands in this order a comparison
// with NaN picks the second, so only the first needs a test.
V emit_extremum(llvm::IRBuilder<>& b, bool largest, V x, V y) {
  V first = largest ? b.CreateFCmpOGT(x, y) : b.CreateFCmpOLT(x, y);
  V picked = b.CreateSelect(first, x, y);
  if (is_number(x)) return picked;
  return b.CreateSelect(b.CreateFCmpUNO(x, x), x, picked);
}

// The number wins over NaN.
V emit_number_extremum(llvm::IRBuilder<>& b, bool largest, V x, V y) {
  V first = largest ? b.CreateFCmpOGT(x, y) : b.CreateFCmpOLT(x, y);
  first = b.CreateOr(first, b.CreateFCmpUNO(y, y));
  return b.CreateSelect(first, x, y);
}

V emit_float_sign(llvm::IRBuilder<>& b, V x) {
  V zero = llvm::ConstantFP::get(x->getType(), 0);
  V one = llvm::ConstantFP::get(x->getType(), 1);
  V below = b.CreateSelect(b.CreateFCmpOLT(x, zero), b.CreateFNeg(one), zero);
  return b.CreateSelect(b.CreateFCmpOGT(x, zero), one, below);
}

V emit_arithmetic(OpContext& context, ExprOp op, llvm::ArrayRef<V> x) {
  llvm::IRBuilder<>& b = context.b;
  switch (op) {
    case ExprOp::kAdd: return b.CreateFAdd(x[0], x[1]);
    case ExprOp::kSub: return b.CreateFSub(x[0], x[1]);
    case ExprOp::kMul: return b.CreateFMul(x[0], x[1]);
    case ExprOp::kDiv: return b.CreateFDiv(x[0], x[1]);
    case ExprOp::kMax: return emit_extremum(b, true, x[0], x[1]);
    case ExprOp::kMin: return emit_extremum(b, false, x[0], x[1]);
    case ExprOp::kFmax: return emit_number_extremum(b, true, x[0], x[1]);
    case ExprOp::kFmin: return emit_number_extremum(b, false, x[0], x[1]);
    case ExprOp::kEq: return b.CreateFCmpOEQ(x[0], x[1]);
    case ExprOp::kNe: return b.CreateFCmpUNE(x[0], x[1]);
    case ExprOp::kLt: return b.CreateFCmpOLT(x[0], x[1]);
    case ExprOp::kLe: return b.CreateFCmpOLE(x[0], x[1]);
    case ExprOp::kGt: return b.CreateFCmpOGT(x[0], x[1]);
    case ExprOp::kGe: return b.CreateFCmpOGE(x[0], x[1]);
    default: break;
  }
  if (V value = context.math.function(op, x)) return value;
  return context.math.host_call(name(op), x);
}

}  // namespace

V emit_float_op(OpContext& context, ExprOp op, llvm::ArrayRef<V> x) {
  llvm::IRBuilder<>& b = context.b;
  const auto intrinsic = [&](llvm::Intrinsic::ID id) { return b.CreateUnaryIntrinsic(id, x[0]); };
  const auto number = [&](double value) { return llvm::ConstantFP::get(x[0]->getType(), value); };
  switch (op) {
    case ExprOp::kNeg: return b.CreateFNeg(x[0]);
    case ExprOp::kAbs: return intrinsic(llvm::Intrinsic::fabs);
    case ExprOp::kSign: return emit_float_sign(b, x[0]);
    case ExprOp::kSqrt: return intrinsic(llvm::Intrinsic::sqrt);
    case ExprOp::kRsqrt: return b.CreateFDiv(number(1), intrinsic(llvm::Intrinsic::sqrt));
    case ExprOp::kFloor: return intrinsic(llvm::Intrinsic::floor);
    case ExprOp::kCeil: return intrinsic(llvm::Intrinsic::ceil);
    case ExprOp::kTrunc: return intrinsic(llvm::Intrinsic::trunc);
    case ExprOp::kRound: return intrinsic(llvm::Intrinsic::roundeven);
    case ExprOp::kIsNan: return b.CreateFCmpUNO(x[0], x[0]);
    case ExprOp::kIsInf:
      return b.CreateFCmpOEQ(intrinsic(llvm::Intrinsic::fabs),
                             number(std::numeric_limits<double>::infinity()));
    case ExprOp::kCopysign: return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, x[0], x[1]);
    default: return emit_arithmetic(context, op, x);
  }
}

V emit_op(OpContext& context, const ExprNode& node, Dtype dtype, llvm::ArrayRef<V> operands) {
  if (node.op == ExprOp::kSelect) {
    return context.b.CreateSelect(operands[0], operands[1], operands[2]);
  }
  if (node.op == ExprOp::kCast) return emit_cast(context, dtype, node.dtype, operands[0]);
  if (is_floating(dtype)) return emit_float_op(context, node.op, operands);
  return emit_integer_op(context, node.op, dtype, operands);
}

}  // namespace nfx::jit
