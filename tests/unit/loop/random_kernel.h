// A kernel made from a seed, with buffers to run it on: dense and ragged
// dimensions, constant and scalar extents and strides, broadcasts, gathers,
// guards, pointwise expressions of five dtypes, reductions of every kind. The
// same seed gives the same kernel and data everywhere.
//
// Values that an ulp could tip over (comparisons, floor, argmax, casts to
// integers) are taken from loads only, so that two right implementations agree
// up to rounding.
#pragma once
#include <cstdint>
#include <vector>

#include "loop/kernel.h"
#include "loop/memory.h"

namespace nfx {

struct RandomKernel {
  Kernel kernel;
  std::vector<Memory> memory;    // by buffer; outputs are filled with ones
  std::vector<int64_t> scalars;  // 64-bit slots

  double tolerance() const { return 2e-3; }  // float32 sums of up to some thousand terms
};

RandomKernel random_kernel(uint64_t seed);

}  // namespace nfx
