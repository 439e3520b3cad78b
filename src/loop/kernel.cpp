#include "loop/kernel.h"

namespace nfx {

int64_t value_of(const Extent& extent, const int64_t* scalars) {
  return extent.scalar < 0 ? extent.constant : scalars[extent.scalar];
}

int64_t row_count(const Kernel& kernel, const int64_t* scalars) {
  int64_t rows = 1;
  for (DimId dim : kernel.row_dims) rows *= value_of(kernel.dims[dim].extent, scalars);
  return rows;
}

uint32_t first_reduction(const Kernel& kernel, size_t stage) {
  size_t number = 0;
  for (size_t s = 0; s < stage; ++s) number += kernel.stages[s].reductions.size();
  return static_cast<uint32_t>(number);
}

}  // namespace nfx
