// Machine code of all kernels of a program as one piece of bytes.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "jit/jit.h"
#include "runtime/plan.h"

namespace nfx {

// The distinct objects of a plan's kernels. Errors: those of the Jit.
Result<std::vector<KernelObject>> kernel_objects(const Plan& plan, Jit& jit);

std::string pack_kernels(std::span<const KernelObject> objects);

// Errors: `bad-program`.
Result<std::vector<KernelObject>> unpack_kernels(std::span<const std::byte> bytes);

}  // namespace nfx
