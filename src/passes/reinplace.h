#pragma once
#include "passes/pass.h"

namespace nfx {

// Writes into an input in place where functionalisation had made a changed copy
// that is copied back.
//
//   %new = aten.index_put.default(%x, [None, %i], %v)
//   %c = aten.copy_.default(%x, %new)          =>   %new = aten.index_put_.default(%x, [None, %i],
//   %v)
//
//   %s = aten.slice.Tensor(%x, 1, 2, 5)
//   %w = aten.copy.default(%s, %v)
//   %new = aten.slice_scatter.default(%x, %w, 1, 2, 5)
//   %c = aten.copy_.default(%x, %new)          =>   %w = aten.copy_.default(%s, %v), and %x for
//   %new
//
// The second form nests, and knows `select_scatter` too. Nothing is done where
// anything else reads the old contents of the input, where the changed copy
// leaves the graph, or where it is no plain tensor like the input. Runs before
// composites are expanded.
// Test: tests/golden/reinplace.nfx
Changed reinplace(Graph& graph);

}  // namespace nfx
