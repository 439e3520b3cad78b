// The text form of loop kernels; docs/loops.md has the grammar. parse.h reads it.
#pragma once
#include <string>

#include "loop/kernel.h"

namespace nfx {

enum class KernelNames {
  kCanonical,  // kernel k, dimensions d0, d1, ...
  kOwn,        // the kernel's and its dimensions' own names where they can stand
};

// Deterministic and complete: with canonical names kernels that mean the same
// by construction have the same text, and the text alone makes the machine code.
// It is the key of the code cache.
std::string print(const Kernel& kernel, KernelNames names = KernelNames::kCanonical);

}  // namespace nfx
