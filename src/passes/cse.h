#pragma once
#include "passes/pass.h"

namespace nfx {

// Computes equal things once.
//
//   %a = aten.relu.default(%x)        %a = aten.relu.default(%x)
//   %b = aten.relu.default(%x)   =>   %c = aten.add.Tensor(%a, %a)
//   %c = aten.add.Tensor(%a, %b)
//
// Equal: pure, same target, same arguments as spelled, same type; or symbolic
// numbers of the same expression. What somebody writes to is left alone, and two
// outputs stay two tensors.
// Test: tests/golden/cse.nfx
Changed cse(Graph& graph);

}  // namespace nfx
