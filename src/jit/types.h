// How dtypes lie in registers and in memory. bool is i1 in registers and a byte
// in memory; float16 and bfloat16 are float in registers.
#pragma once
#include <llvm/IR/IRBuilder.h>

#include "ir/dtype.h"

namespace nfx::jit {

bool is_compiled(Dtype dtype);  // what generated code handles

llvm::Type* register_type(llvm::LLVMContext& context, Dtype dtype);
llvm::Type* memory_type(llvm::LLVMContext& context, Dtype dtype);

llvm::Type* lanes_of(llvm::Type* element, int width);  // width 1: the element itself
llvm::Type* like_lanes(llvm::Type* like, llvm::Type* element);

// Memory for `count` elements on the stack, aligned for every vector.
llvm::Value* stack_memory(llvm::IRBuilder<>& builder, llvm::Type* element, int64_t count);

llvm::Value* to_register(llvm::IRBuilder<>& builder, Dtype dtype, llvm::Value* stored);
llvm::Value* to_memory(llvm::IRBuilder<>& builder, Dtype dtype, llvm::Value* value);

}  // namespace nfx::jit
