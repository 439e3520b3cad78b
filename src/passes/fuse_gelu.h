#pragma once
#include "passes/pass.h"

namespace nfx {

// Replaces the spelled forms of GELU by the op.
//
//   %s = aten.mul(%x, 0.7071067811865476)
//   %e = aten.add(aten.erf(%s), 1)            =>   %y = aten.gelu(%x)
//   %y = aten.mul(aten.mul(%x, 0.5), %e)
//
// Also with division by the root, with the factors in another order, and the form
// with tanh and a cube (`approximate="tanh"`). Results round differently: not in
// the default pipeline.
// Test: tests/golden/fuse_gelu.nfx
Changed fuse_gelu(Graph& graph);

}  // namespace nfx
