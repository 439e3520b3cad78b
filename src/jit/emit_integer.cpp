#include "jit/scalar_op.h"
#include "jit/types.h"

namespace nfx::jit {
namespace {

using V = llvm::Value*;

// Arithmetic of one integer dtype; it wraps, and nothing in it traps.
class IntegerOps {
 public:
  IntegerOps(OpContext& context, Dtype dtype, llvm::ArrayRef<V> operands)
      : b_(context.b),
        math_(context.math),
        signed_(is_signed(dtype)),
        x_(operands[0]),
        y_(operands.size() > 1 ? operands[1] : nullptr) {}

  V unary(ExprOp op);
  V binary(ExprOp op);

 private:
  V number(int64_t value) { return llvm::ConstantInt::getSigned(x_->getType(), value); }
  unsigned width() const { return x_->getType()->getScalarSizeInBits(); }
  V truth(bool value) {
    return llvm::ConstantInt::get(like_lanes(x_->getType(), b_.getInt1Ty()), value);
  }
  V safe_divisor();
  V divide();
  V rest();
  V floor_divide();
  V remainder();
  V power();
  V shift_left();
  V shift_right();
  V compare(ExprOp op);
  V less(V a, V b) { return signed_ ? b_.CreateICmpSLT(a, b) : b_.CreateICmpULT(a, b); }
  V signs_differ(V a, V b) { return b_.CreateICmpSLT(b_.CreateXor(a, b), number(0)); }

  llvm::IRBuilder<>& b_;
  MathBuilder& math_;
  bool signed_;
  V x_;
  V y_;
};

// 1 where the division would trap: by zero, or the smallest number by -1, whose
// wrapped quotient is the number itself.
V IntegerOps::safe_divisor() {
  const llvm::Constant* constant = llvm::dyn_cast<llvm::Constant>(y_);
  if (constant != nullptr && constant->getType()->isVectorTy())
    constant = constant->getSplatValue();
  if (const auto* known = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant)) {
    if (!known->isZero() && !known->isMinusOne()) return y_;
  }
  V trap = b_.CreateICmpEQ(y_, number(0));
  if (signed_) {
    V smallest = llvm::ConstantInt::get(x_->getType(), llvm::APInt::getSignedMinValue(width()));
    V wraps = b_.CreateAnd(b_.CreateICmpEQ(x_, smallest), b_.CreateICmpEQ(y_, number(-1)));
    trap = b_.CreateOr(trap, wraps);
  }
  return b_.CreateSelect(trap, number(1), y_);
}

V IntegerOps::divide() {
  V divisor = safe_divisor();
  V quotient = signed_ ? b_.CreateSDiv(x_, divisor) : b_.CreateUDiv(x_, divisor);
  if (divisor == y_) return quotient;
  return b_.CreateSelect(b_.CreateICmpEQ(y_, number(0)), number(0), quotient);
}

V IntegerOps::rest() {
  V divisor = safe_divisor();
  V left = signed_ ? b_.CreateSRem(x_, divisor) : b_.CreateURem(x_, divisor);
  if (divisor == y_) return left;
  return b_.CreateSelect(b_.CreateICmpEQ(y_, number(0)), number(0), left);
}

V IntegerOps::floor_divide() {
  V quotient = divide();
  if (!signed_) return quotient;
  V below = b_.CreateAnd(b_.CreateICmpNE(rest(), number(0)), signs_differ(x_, y_));
  return b_.CreateSelect(below, b_.CreateSub(quotient, number(1)), quotient);
}

V IntegerOps::remainder() {
  V left = rest();
  if (!signed_) return left;
  V wrong = b_.CreateAnd(b_.CreateICmpNE(left, number(0)), signs_differ(left, y_));
  return b_.CreateSelect(wrong, b_.CreateAdd(left, y_), left);
}

V IntegerOps::power() {
  llvm::Type* wide = like_lanes(x_->getType(), b_.getInt64Ty());
  V base = signed_ ? b_.CreateSExtOrTrunc(x_, wide) : b_.CreateZExtOrTrunc(x_, wide);
  V exponent = signed_ ? b_.CreateSExtOrTrunc(y_, wide) : b_.CreateZExtOrTrunc(y_, wide);
  return b_.CreateTrunc(math_.host_call("pow", {base, exponent}, !signed_), x_->getType());
}

V IntegerOps::shift_left() {
  V outside = b_.CreateICmpUGE(y_, number(width()));
  V amount = b_.CreateSelect(outside, number(0), y_);
  return b_.CreateSelect(outside, number(0), b_.CreateShl(x_, amount));
}

V IntegerOps::shift_right() {
  V outside = b_.CreateICmpUGE(y_, number(width()));
  if (signed_) {
    return b_.CreateAShr(x_, b_.CreateSelect(outside, number(width() - 1), y_));
  }
  V shifted = b_.CreateLShr(x_, b_.CreateSelect(outside, number(0), y_));
  return b_.CreateSelect(outside, number(0), shifted);
}

V IntegerOps::compare(ExprOp op) {
  switch (op) {
    case ExprOp::kEq: return b_.CreateICmpEQ(x_, y_);
    case ExprOp::kNe: return b_.CreateICmpNE(x_, y_);
    case ExprOp::kLt: return less(x_, y_);
    case ExprOp::kLe: return b_.CreateNot(less(y_, x_));
    case ExprOp::kGt: return less(y_, x_);
    default: return b_.CreateNot(less(x_, y_));
  }
}

V IntegerOps::unary(ExprOp op) {
  V negative = signed_ ? b_.CreateICmpSLT(x_, number(0)) : truth(false);
  switch (op) {
    case ExprOp::kNeg: return b_.CreateNeg(x_);
    case ExprOp::kAbs: return b_.CreateSelect(negative, b_.CreateNeg(x_), x_);
    case ExprOp::kSign: {
      V positive = b_.CreateZExt(b_.CreateICmpNE(x_, number(0)), x_->getType());
      return b_.CreateSelect(negative, number(-1), positive);
    }
    case ExprOp::kNot: return b_.CreateNot(x_);
    case ExprOp::kIsNan:
    case ExprOp::kIsInf: return truth(false);
    default: return x_;  // rounding
  }
}

V IntegerOps::binary(ExprOp op) {
  switch (op) {
    case ExprOp::kAdd: return b_.CreateAdd(x_, y_);
    case ExprOp::kSub: return b_.CreateSub(x_, y_);
    case ExprOp::kMul: return b_.CreateMul(x_, y_);
    case ExprOp::kDiv: return divide();
    case ExprOp::kFloorDiv: return floor_divide();
    case ExprOp::kRemainder: return remainder();
    case ExprOp::kFmod: return rest();
    case ExprOp::kPow: return power();
    case ExprOp::kMin:
    case ExprOp::kFmin: return b_.CreateSelect(less(x_, y_), x_, y_);
    case ExprOp::kMax:
    case ExprOp::kFmax: return b_.CreateSelect(less(y_, x_), x_, y_);
    case ExprOp::kAnd: return b_.CreateAnd(x_, y_);
    case ExprOp::kOr: return b_.CreateOr(x_, y_);
    case ExprOp::kXor: return b_.CreateXor(x_, y_);
    case ExprOp::kShl: return shift_left();
    case ExprOp::kShr: return shift_right();
    default: return compare(op);
  }
}

// bool counts as the numbers 0 and 1, and a result as whether it is not 0.
V emit_bool_op(OpContext& context, ExprOp op, llvm::ArrayRef<V> operands) {
  llvm::IRBuilder<>& b = context.b;
  switch (op) {
    case ExprOp::kNot: return b.CreateNot(operands[0]);
    case ExprOp::kAnd: return b.CreateAnd(operands[0], operands[1]);
    case ExprOp::kOr: return b.CreateOr(operands[0], operands[1]);
    case ExprOp::kXor:
    case ExprOp::kNe: return b.CreateXor(operands[0], operands[1]);
    case ExprOp::kEq: return b.CreateNot(b.CreateXor(operands[0], operands[1]));
    default: break;
  }
  llvm::SmallVector<V, 2> wide;
  for (V operand : operands) {
    wide.push_back(b.CreateZExt(operand, like_lanes(operand->getType(), b.getInt8Ty())));
  }
  V value = emit_integer_op(context, op, Dtype::kInt8, wide);
  return is_predicate(op) ? value : b.CreateIsNotNull(value);
}

}  // namespace

V emit_integer_op(OpContext& context, ExprOp op, Dtype dtype, llvm::ArrayRef<V> operands) {
  if (dtype == Dtype::kBool) return emit_bool_op(context, op, operands);
  IntegerOps ops(context, dtype, operands);
  return operands.size() == 1 ? ops.unary(op) : ops.binary(op);
}

}  // namespace nfx::jit
