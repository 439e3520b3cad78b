#pragma once
#include "passes/pass.h"

namespace nfx {

// Computes equal things once.
//
//   %a = aten.relu.default(%x)        %a = aten.relu.default(%x)
//   %b = aten.relu.default(%x)   =>   %c = aten.add.Tensor(%a, %a)
//   %c = aten.add.Tensor(%a, %b)
//
// Equal: pure, not random, same target, same arguments as spelled, same type. Nothing is
// merged across a write: after one, reading the same inputs may give other values.
// Test: tests/golden/cse.nfx
Changed cse(Graph& graph);

}  // namespace nfx
