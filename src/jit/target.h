// What code is generated for.
#pragma once
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

#include "jit/jit.h"
#include "support/result.h"

namespace nfx::jit {

struct Target {
  std::string triple;
  std::string cpu;
  std::string features;
  std::string description;  // the three above, in one line
  int vector_bytes = 16;
  bool masked_memory = false;  // masked loads and stores of every element size are instructions
  int vector_registers = 16;
};

Result<Target> detect_target(const JitOptions& options);

// A target machine is not thread safe: one per compilation.
Result<std::unique_ptr<llvm::TargetMachine>> make_machine(const Target& target);

}  // namespace nfx::jit
