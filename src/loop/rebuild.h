// Rewrites kernels whose dimensions or scalars were renumbered.
#pragma once
#include "loop/fuse.h"

namespace nfx {

// Every use of the position in `dim` becomes 0.
void hold_at_zero(Kernel& kernel, DimId dim);

// Drops dimensions that no loop walks, and scalars that nothing reads, and
// renumbers the rest.
void drop_unused(FusedKernel& fused);

}  // namespace nfx
