#pragma once
#include "passes/pass.h"

namespace nfx {

// Removes nodes that nobody uses and that have no effect.
//
//   %a = aten.relu.default(%x)
//   %b = aten.neg.default(%x)     =>   %b = aten.neg.default(%x)
//   output (%b,)                       output (%b,)
//
// Placeholders stay, and so does every call that is not known to be pure: writes,
// random draws, assertions, calls of functions that are no known op.
// Test: tests/golden/dce.nfx
Changed dce(Graph& graph);

}  // namespace nfx
