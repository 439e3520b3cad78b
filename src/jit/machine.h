// LLVM's side of a target.
#pragma once
#include <llvm/Target/TargetMachine.h>

#include <memory>

#include "jit/target.h"

namespace nfx::jit {

// A target machine is not thread safe: one per compilation.
Result<std::unique_ptr<llvm::TargetMachine>> make_machine(const Target& target);

}  // namespace nfx::jit
