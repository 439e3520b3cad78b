#pragma once
#include "passes/pass.h"

namespace nfx {

// Replaces the spelled rotation of halves by one op, for backends that have it.
//
//   %a = aten.slice.Tensor(%x, 3, 0, 32)
//   %b = aten.slice.Tensor(%x, 3, 32, 9223372036854775807)
//   %h = aten.cat([aten.neg(%b), %a], -1)                 =>   %y = nativefx.rotary_embedding(
//   %y = aten.add(aten.mul(%x, %cos), aten.mul(%h, %sin))            %x, %cos, %sin)
//
// Also with the halves from split or chunk. The op computes the same to the bit;
// `nativefx.rules` makes it known to PyTorch.
// Test: tests/golden/fuse_rotary.nfx
Changed fuse_rotary(Graph& graph);

}  // namespace nfx
