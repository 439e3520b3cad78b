#pragma once
#include "passes/pass.h"

namespace nfx {

// Removes nodes whose result is their input.
//
//   %a = aten.detach.default(%x)
//   %b = aten.expand.default(%a, [2, 3])   =>   %c = aten.relu.default(%x)
//   %c = aten.relu.default(%b)
//
// Views (alias, detach, expand, slice, permute, view ...) that leave sizes, strides
// and offset as they are; copies (clone, _to_copy, contiguous, repeat, pad by
// nothing) and inactive dropout where the type stays the same. A copy stays if
// somebody writes to it or to what it copies, or if without it an output would
// share memory with an input or another output.
// Test: tests/golden/remove_noops.nfx
Changed remove_noops(Graph& graph);

}  // namespace nfx
