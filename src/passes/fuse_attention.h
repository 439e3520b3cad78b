#pragma once
#include "passes/pass.h"

namespace nfx {

// Replaces spelled attention by the op.
//
//   %s = aten.div(aten.matmul(%q, aten.transpose(%k, -2, -1)), 8.0)
//   %p = aten.softmax.int(aten.add(%s, %mask), -1)
//   %y = aten.matmul(%p, %v)
//     =>   %y = aten.scaled_dot_product_attention(%q, %k, %v, %mask, scale=0.125)
//
// With a quotient, a product or no scale, with a mask that is added or none, with
// the keys transposed or permuted, with matmul or bmm, with softmax or _softmax,
// with dropout that drops nothing.
// The three have one floating dtype and equal batch dimensions, and a mask does
// not make the scores larger. Results round differently, and a row that is masked
// by -inf altogether is 0 rather than NaN: not in the default pipeline.
// Test: tests/golden/fuse_attention.nfx
Changed fuse_attention(Graph& graph);

}  // namespace nfx
