#include "jit/math_builder.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <string>

#include "jit/host_functions.h"

namespace nfx::jit {
namespace {

constexpr int kFloatMantissa = 23;
constexpr int kDoubleMantissa = 52;

int lane_count(llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector == nullptr ? 1 : static_cast<int>(vector->getNumElements());
}

llvm::Type* with_element(llvm::Type* like, llvm::Type* element) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(like);
  if (vector == nullptr) return element;
  return llvm::FixedVectorType::get(element, vector->getNumElements());
}

// Scratch memory of the function, allocated once in its entry block.
llvm::Value* scratch(llvm::IRBuilder<>& builder, llvm::Type* type) {
  llvm::BasicBlock& entry = builder.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> front(&entry, entry.begin());
  return front.CreateAlloca(type);
}

}  // namespace

llvm::Value* MathBuilder::number(V like, double value) {
  return llvm::ConstantFP::get(like->getType(), value);
}

llvm::Value* MathBuilder::integer(V like, int64_t value) {
  llvm::Type* element = is_double(like) ? b_.getInt64Ty() : b_.getInt32Ty();
  return llvm::ConstantInt::getSigned(with_element(like->getType(), element), value);
}

llvm::Value* MathBuilder::bits(V x) {
  llvm::Type* element = is_double(x) ? b_.getInt64Ty() : b_.getInt32Ty();
  return b_.CreateBitCast(x, with_element(x->getType(), element));
}

llvm::Value* MathBuilder::from_bits(V x, V like) { return b_.CreateBitCast(x, like->getType()); }

llvm::Value* MathBuilder::fma(V a, V b, V c) {
  return b_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

llvm::Value* MathBuilder::mul_add(V a, V b, V c) {
  return b_.CreateIntrinsic(llvm::Intrinsic::fmuladd, {a->getType()}, {a, b, c});
}

llvm::Value* MathBuilder::abs(V x) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }

llvm::Value* MathBuilder::copysign(V magnitude, V sign) {
  return b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude, sign);
}

llvm::Value* MathBuilder::polynomial(V x, std::span<const double> coefficients) {
  V sum = number(x, coefficients.back());
  for (size_t i = coefficients.size() - 1; i-- > 0;) {
    sum = mul_add(sum, x, number(x, coefficients[i]));
  }
  return sum;
}

llvm::Value* MathBuilder::at_most(V x, double limit) {
  V bound = number(x, limit);
  return b_.CreateSelect(b_.CreateFCmpOGT(x, bound), bound, x);
}

llvm::Value* MathBuilder::at_least(V x, double limit) {
  V bound = number(x, limit);
  return b_.CreateSelect(b_.CreateFCmpOLT(x, bound), bound, x);
}

llvm::Value* MathBuilder::shifter(V like) {
  return number(like, is_double(like) ? 0x1.8p52 : 0x1.8p23);
}

llvm::Value* MathBuilder::widen(V x) {
  return is_double(x) ? x : b_.CreateFPExt(x, with_element(x->getType(), b_.getDoubleTy()));
}

llvm::Value* MathBuilder::narrow(V x) {
  return b_.CreateFPTrunc(x, with_element(x->getType(), b_.getFloatTy()));
}

llvm::Value* MathBuilder::any_lane(V condition) {
  return condition->getType()->isVectorTy() ? b_.CreateOrReduce(condition) : condition;
}

llvm::Value* MathBuilder::unless_any(V condition, V fast, std::string_view name, V operand) {
  llvm::Instruction* next = &*b_.GetInsertPoint();
  V rare = any_lane(condition);
  llvm::BasicBlock* before = next->getParent();
  llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(rare, next, false);
  b_.SetInsertPoint(then);
  V slow = host_call(name, {operand});
  b_.SetInsertPoint(next->getParent(), next->getParent()->begin());
  llvm::PHINode* result = b_.CreatePHI(fast->getType(), 2);
  result->addIncoming(fast, before);
  result->addIncoming(slow, then->getParent());
  b_.SetInsertPoint(next);
  return result;
}

llvm::Value* MathBuilder::host_call(std::string_view name, llvm::ArrayRef<V> operands,
                                    bool is_unsigned) {
  llvm::Type* type = operands[0]->getType();
  const auto stored = [&](V operand) {
    V place = scratch(b_, type);
    b_.CreateStore(operand, place);
    return place;
  };
  V first = stored(operands[0]);
  V second = operands.size() > 1 ? stored(operands[1]) : first;
  V result = scratch(b_, type);
  V lanes = b_.getInt64(static_cast<uint64_t>(lane_count(type)));
  llvm::Type* pointer = b_.getPtrTy();
  auto* signature =
      llvm::FunctionType::get(b_.getVoidTy(), {pointer, pointer, pointer, b_.getInt64Ty()}, false);
  llvm::Type* element = type->getScalarType();
  const char* suffix = is_unsigned ? "u64" : "i64";
  if (element->isFloatingPointTy()) suffix = element->isDoubleTy() ? "f64" : "f32";
  llvm::Module* module = b_.GetInsertBlock()->getModule();
  const std::string symbol = host_symbol(name, suffix);
  b_.CreateCall(module->getOrInsertFunction(symbol, signature), {first, second, result, lanes});
  return b_.CreateLoad(type, result);
}

llvm::Value* MathBuilder::function(ExprOp op, llvm::ArrayRef<V> x) {
  constexpr double kLog2E = 0x1.71547652b82fep+0, kLog2ELow = 0x1.777d0ffda0d24p-56;
  constexpr double kLog10E = 0x1.bcb7b1526e50ep-2, kLog10ELow = 0x1.95355baaafad3p-57;
  constexpr double kLn2High = 0x1.62e42fefa38p-1, kLn2Low = 0x1.ef35793c7673p-45;
  constexpr double kLog102High = 0x1.34413509f6p-2, kLog102Low = 0x1.9fef311f12b36p-42;
  switch (op) {
    case ExprOp::kExp: return exp(x[0]);
    case ExprOp::kExp2: return exp2(x[0]);
    case ExprOp::kExpm1: return expm1(x[0]);
    case ExprOp::kSigmoid: return sigmoid(x[0]);
    case ExprOp::kTanh: return tanh(x[0]);
    case ExprOp::kLog: return log(x[0], {1, 0, kLn2High, kLn2Low});
    case ExprOp::kLog2: return log(x[0], {kLog2E, kLog2ELow, 1, 0});
    case ExprOp::kLog10: return log(x[0], {kLog10E, kLog10ELow, kLog102High, kLog102Low});
    case ExprOp::kLog1p: return log1p(x[0]);
    case ExprOp::kSin: return trigonometric(x[0], Trig::kSin);
    case ExprOp::kCos: return trigonometric(x[0], Trig::kCos);
    case ExprOp::kTan: return trigonometric(x[0], Trig::kTan);
    case ExprOp::kSinh:
    case ExprOp::kCosh:
    case ExprOp::kAsinh:
    case ExprOp::kAcosh:
    case ExprOp::kAtanh: return hyperbolic(op, x[0]);
    case ExprOp::kErf: return erf(x[0]);
    case ExprOp::kPow: return is_double(x[0]) ? host_call("pow", x) : pow(x[0], x[1]);
    default: return nullptr;
  }
}

}  // namespace nfx::jit
