// What code is generated for.
#pragma once
#include <string>

#include "jit/jit.h"
#include "support/result.h"

namespace nfx::jit {

struct Target {
  std::string triple;
  std::string cpu;
  std::string features;
  std::string description;  // the three above and the width, in one line
  int vector_bytes = 16;
  int vector_registers = 16;
  bool has_scale = false;  // an instruction for x * 2^n on vectors
};

// This machine, or what the options name instead.
Result<Target> detect_target(const JitOptions& options);

}  // namespace nfx::jit
