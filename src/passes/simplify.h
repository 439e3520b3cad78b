#pragma once
#include "passes/pass.h"

namespace nfx {

// Applies equations of arithmetic, comparison, logic and rounding.
//
//   %a = aten.neg.default(%x)
//   %b = aten.neg.default(%a)     =>   %c = aten.mul.Tensor(%x, %y)
//   %c = aten.mul.Tensor(%b, %y)
//
// The equations stand in simplify_arithmetic.cpp, simplify_logic.cpp and
// simplify_rounding.cpp. They hold to the bit; none fires where the type would
// change, somebody writes to a value that it looks at, or an output would come to
// share memory with an input or another output.
// Test: tests/golden/simplify.nfx
Changed simplify(Graph& graph);

// Also the equations that hold on real numbers but not to the bit on floats,
// such as x*2.0*3.0 = x*6.0. Not in the default pipeline.
// Test: tests/golden/reassociate.nfx
Changed reassociate(Graph& graph);

}  // namespace nfx
