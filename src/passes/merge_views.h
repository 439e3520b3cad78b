#pragma once
#include "passes/pass.h"

namespace nfx {

// Replaces a chain of views by one view of the first input, or by that input.
//
//   %a = aten.view.default(%x, [6, 4])
//   %b = aten.view.default(%a, [24])          =>   %b = aten.view.default(%x, [24])
//   %c = aten.permute.default(%y, [1, 2, 0])
//   %d = aten.permute.default(%c, [2, 0, 1])  =>   %y
//   %e = aten.expand.default(%z, [2, 3])
//   %f = aten.expand.default(%e, [4, 2, 3])   =>   %f = aten.expand.default(%z, [4, 2, 3])
//
// Of three families: what keeps elements and order (view, unsqueeze, squeeze,
// flatten), what permutes dimensions (permute, transpose, t), and expand. The
// chain stays where one view would have other strides, where sizes to be spelled
// are symbolic, and where somebody writes to the memory. The inner views stay for
// their other users; dead code removal takes them if there are none.
// Test: tests/golden/merge_views.nfx
Changed merge_views(Graph& graph);

}  // namespace nfx
