#pragma once
#include "passes/pass.h"

namespace nfx {

// Gives every call the type that its row infers from the types of its operands.
//
//   %x = placeholder "x" : float32[s0, 8]         %x = placeholder "x" : float32[s0, 8]
//   %y = call aten.relu.default(%x)          =>   %y = call aten.relu.default(%x) : float32[s0, 8]
//
// A call without a row, or whose operands have no type, keeps what it has; so does
// one whose type is known and fits.
// Test: tests/golden/infer_types.nfx
Changed infer_types(Graph& graph);

}  // namespace nfx
