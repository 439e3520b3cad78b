#include "jit/types.h"

namespace nfx::jit {
namespace {

// Rounds the upper half of a float's bits to nearest even; NaN stays NaN.
llvm::Value* to_bfloat16(llvm::IRBuilder<>& b, llvm::Value* value) {
  llvm::Type* wide = like_lanes(value->getType(), b.getInt32Ty());
  const auto number = [&](uint64_t n) { return llvm::ConstantInt::get(wide, n); };
  llvm::Value* bits = b.CreateBitCast(value, wide);
  llvm::Value* odd = b.CreateAnd(b.CreateLShr(bits, number(16)), number(1));
  llvm::Value* rounded = b.CreateAdd(bits, b.CreateAdd(odd, number(0x7fff)));
  llvm::Value* nan = b.CreateFCmpUNO(value, value);
  rounded = b.CreateSelect(nan, number(0x7fc00000), rounded);
  return b.CreateTrunc(b.CreateLShr(rounded, number(16)), like_lanes(wide, b.getInt16Ty()));
}

llvm::Value* from_bfloat16(llvm::IRBuilder<>& b, llvm::Value* stored) {
  llvm::Type* wide = like_lanes(stored->getType(), b.getInt32Ty());
  llvm::Value* bits = b.CreateShl(b.CreateZExt(stored, wide), llvm::ConstantInt::get(wide, 16));
  return b.CreateBitCast(bits, like_lanes(wide, b.getFloatTy()));
}

}  // namespace

bool is_compiled(Dtype dtype) {
  switch (dtype) {
    case Dtype::kBool:
    case Dtype::kFloat16:
    case Dtype::kBFloat16:
    case Dtype::kFloat32:
    case Dtype::kFloat64: return true;
    default: return is_integral(dtype);
  }
}

llvm::Type* register_type(llvm::LLVMContext& context, Dtype dtype) {
  if (dtype == Dtype::kBool) return llvm::Type::getInt1Ty(context);
  if (dtype == Dtype::kFloat64) return llvm::Type::getDoubleTy(context);
  if (is_floating(dtype)) return llvm::Type::getFloatTy(context);
  return llvm::Type::getIntNTy(context, static_cast<unsigned>(dtype_size(dtype)) * 8);
}

llvm::Type* memory_type(llvm::LLVMContext& context, Dtype dtype) {
  if (dtype == Dtype::kBool) return llvm::Type::getInt8Ty(context);
  if (dtype == Dtype::kFloat16) return llvm::Type::getHalfTy(context);
  if (dtype == Dtype::kBFloat16) return llvm::Type::getInt16Ty(context);
  return register_type(context, dtype);
}

llvm::Type* lanes_of(llvm::Type* element, int width) {
  if (width == 1) return element;
  return llvm::FixedVectorType::get(element, static_cast<unsigned>(width));
}

llvm::Type* like_lanes(llvm::Type* like, llvm::Type* element) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(like);
  return vector == nullptr ? element
                           : llvm::FixedVectorType::get(element, vector->getNumElements());
}

llvm::Value* stack_memory(llvm::IRBuilder<>& builder, llvm::Type* element, int64_t count) {
  llvm::Type* type = llvm::ArrayType::get(element, static_cast<uint64_t>(count));
  llvm::AllocaInst* memory = builder.CreateAlloca(type);
  memory->setAlignment(llvm::Align(64));
  return memory;
}

llvm::Value* to_register(llvm::IRBuilder<>& builder, Dtype dtype, llvm::Value* stored) {
  if (dtype == Dtype::kBool) return builder.CreateIsNotNull(stored);
  if (dtype == Dtype::kBFloat16) return from_bfloat16(builder, stored);
  if (dtype != Dtype::kFloat16) return stored;
  return builder.CreateFPExt(stored, like_lanes(stored->getType(), builder.getFloatTy()));
}

llvm::Value* to_memory(llvm::IRBuilder<>& builder, Dtype dtype, llvm::Value* value) {
  if (dtype == Dtype::kBool) {
    return builder.CreateZExt(value, like_lanes(value->getType(), builder.getInt8Ty()));
  }
  if (dtype == Dtype::kBFloat16) return to_bfloat16(builder, value);
  if (dtype != Dtype::kFloat16) return value;
  return builder.CreateFPTrunc(value, like_lanes(value->getType(), builder.getHalfTy()));
}

}  // namespace nfx::jit
