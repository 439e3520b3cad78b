#pragma once
#include "passes/pass.h"

namespace nfx {

// Replaces the spelled forms of RMS norm by the op.
//
//   %m = aten.mean.dim(aten.pow(%x, 2), [-1], True)
//   %r = aten.rsqrt(aten.add(%m, 1e-6))               =>   %y = aten.rms_norm(%x, [64], %w, 1e-6)
//   %y = aten.mul(%w, aten.mul(%x, %r))
//
// Also with x * x, with a square root and a division, without a weight, and with
// casts of bfloat16 or float16 to float32 and back around it. It does not apply
// where the last dimension is not a known number. Results round differently: not
// in the default pipeline.
// Test: tests/golden/fuse_rms_norm.nfx
Changed fuse_rms_norm(Graph& graph);

}  // namespace nfx
