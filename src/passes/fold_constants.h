#pragma once
#include "passes/pass.h"

namespace nfx {

// Computes what depends on nothing but constants.
//
//   %a = aten.full.default([2, 3], 2.0)
//   %b = aten.mul.Tensor(%a, 4)           =>   %b = aten.full.default([2, 3], 8.0, dtype=...)
//   %n = aten.sym_size.int(%x, 0) : sym(6)
//   %c = aten.view.default(%x, [%n, 4])   =>   %c = aten.view.default(%x, [6, 4])
//
// Tensors that hold one number everywhere (full, zeros, ones, scalar_tensor and
// what is computed from them by element), and symbolic numbers whose value is
// known. Floats are folded where IEEE 754 fixes the result; values of `get_attr`
// and tensors that somebody writes to are never folded.
// Test: tests/golden/fold_constants.nfx
Changed fold_constants(Graph& graph);

}  // namespace nfx
