// Finds gather and scatter along rows in a graph of ATen operators as autograd
// sees it, and writes them as `mp.gather` and `mp.scatter_*`.
//
//   %m = index_select(%x, 0, %j)             %m = mp.gather(%x, %j)
//   %v = mul(%m, %w)                         %v = mul(%m, %w)
//   %b = expand(view(%i, [-1, 1]), [E, F])
//   %z = new_zeros(%x, [n, F])          =>
//   %y = scatter_add_(%z, 0, %b, %v)         %y = mp.scatter_sum(%v, %i, n)
//
// Forms: index_select, index, gather, embedding; index_add, scatter_add,
// scatter_reduce, index_reduce, index_put with accumulate, and those that write in
// place, if nobody else can see what they write to. A scatter onto something other
// than zeros is a sum with it. Untouched: rows along another dimension than the
// first, an index with several dimensions, products.
// Test: tests/golden/recognize_edges.nfx
#pragma once
#include "passes/pass.h"

namespace nfx {

Changed recognize_edges(Graph& graph);

}  // namespace nfx
