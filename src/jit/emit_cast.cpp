#include "jit/scalar_op.h"
#include "jit/types.h"

namespace nfx::jit {
namespace {

using V = llvm::Value*;

V number(V like, double value) { return llvm::ConstantFP::get(like->getType(), value); }

// Truncates to a signed integer; the smallest one for NaN and what does not fit,
// as x86's instructions. The conversion itself sees only values that fit.
V truncate_signed(llvm::IRBuilder<>& b, V value, unsigned bits) {
  const double limit = bits == 64 ? 0x1p63 : 0x1p31;
  llvm::Type* type = like_lanes(value->getType(), b.getIntNTy(bits));
  // Below -2^31 there are doubles that truncate to it.
  V above = bits == 32 && value->getType()->getScalarType()->isDoubleTy()
                ? b.CreateFCmpOGT(value, number(value, -limit - 1))
                : b.CreateFCmpOGE(value, number(value, -limit));
  V fits = b.CreateAnd(above, b.CreateFCmpOLT(value, number(value, limit)));
  V inside = b.CreateFPToSI(b.CreateSelect(fits, value, number(value, 0)), type);
  V smallest = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(bits));
  return b.CreateSelect(fits, inside, smallest);
}

V float_to_integer(llvm::IRBuilder<>& b, V value, Dtype to) {
  llvm::Type* type = like_lanes(value->getType(), register_type(b.getContext(), to));
  if (dtype_size(to) < 8 && to != Dtype::kUInt32) {
    return b.CreateTrunc(truncate_signed(b, value, 32), type);
  }
  V result = b.CreateTrunc(truncate_signed(b, value, 64), type);
  if (to != Dtype::kUInt64) return result;
  V upper = b.CreateAnd(b.CreateFCmpOGE(value, number(value, 0x1p63)),
                        b.CreateFCmpOLT(value, number(value, 0x1p64)));
  V shifted = b.CreateFSub(value, number(value, 0x1p63));
  V low = b.CreateFPToSI(b.CreateSelect(upper, shifted, number(value, 0)), type);
  V high = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(64));
  return b.CreateSelect(upper, b.CreateOr(low, high), result);
}

// A float register holds the 16-bit types; a cast to one rounds to it.
V round_to_storage(llvm::IRBuilder<>& b, Dtype to, V value) {
  if (to != Dtype::kFloat16 && to != Dtype::kBFloat16) return value;
  return to_register(b, to, to_memory(b, to, value));
}

V cast_to_bool(llvm::IRBuilder<>& b, Dtype from, V value) {
  if (from == Dtype::kBool) return value;
  if (is_floating(from)) return b.CreateFCmpUNE(value, number(value, 0));
  return b.CreateIsNotNull(value);
}

}  // namespace

V emit_cast(OpContext& context, Dtype from, Dtype to, V value) {
  llvm::IRBuilder<>& b = context.b;
  if (from == to) return round_to_storage(b, to, value);
  if (to == Dtype::kBool) return cast_to_bool(b, from, value);
  llvm::Type* type = like_lanes(value->getType(), register_type(b.getContext(), to));
  const bool from_signed = is_signed(from);
  if (is_floating(from)) {
    if (!is_floating(to)) return float_to_integer(b, value, to);
    return round_to_storage(b, to, b.CreateFPCast(value, type));
  }
  if (!is_floating(to)) return b.CreateIntCast(value, type, from_signed);
  V number = from_signed ? b.CreateSIToFP(value, type) : b.CreateUIToFP(value, type);
  return round_to_storage(b, to, number);
}

}  // namespace nfx::jit
