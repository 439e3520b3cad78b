// Moves dense work from edges to nodes, where rows are fewer.
//
//   %m = mp.gather(%x, %i)                  %y = linear(%x, %W, %b)
//   %y = linear(%m, %W, %b)          =>     %m = mp.gather(%y, %i)
//
// What holds of one row holds of all that were made from it: any product or
// reduction within a row moves, with whatever stands between it and the gather.
// A product with a concatenation, sum or difference is divided first:
//
//   linear(cat([gather(a, i), gather(b, j), e]), W)
//     =>  gather(linear(a, W0), i) + gather(linear(b, W1), j) + linear(e, W2)
//
// which adds in another order than the product did. Nothing moves to a table that
// is known to have more rows than there are edges.
// Test: tests/golden/move_dense.nfx
#pragma once
#include "passes/pass.h"

namespace nfx {

Changed move_dense(Graph& graph);

}  // namespace nfx
