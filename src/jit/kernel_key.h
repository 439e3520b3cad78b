// The identity of a kernel: what generated code depends on, as bytes. Names do
// not count, nor expressions that nothing uses.
#pragma once
#include <string>

#include "loop/schedule.h"

namespace nfx::jit {

std::string kernel_key(const Kernel& kernel, const Schedule& schedule);

// 128 bits as 32 hexadecimal digits.
std::string hash_text(const std::string& bytes);

}  // namespace nfx::jit
