// Gives each scatter an order of the edges, and computes what it sums in that order.
//
//   %m = mp.gather(%x, %j)              %s = mp.sort_index(%i, n, ..)    offsets, order, ends
//   %v = mul(%m, %w)              =>    %k = mp.sorted_index(%j, %s[1], ..)
//   %y = mp.scatter_sum(%v, %i, n)      %v = mul(mp.from_src(%x, %k), mp.from_src(%w, %s[1]))
//                                       %y = mp.edge_sum(%v, %s[0])
//
// Fusion makes one loop of the last two lines, in which nothing of size edges x
// features is stored. A value that two scatters need is computed in both orders,
// unless it is a reduction: that is computed once, in the order of the edges, and
// read through `order`. What something other than a scatter needs stays as it is,
// with its indices checked.
// Test: tests/golden/order_edges.nfx
#pragma once
#include "passes/pass.h"

namespace nfx {

Changed order_edges(Graph& graph);

}  // namespace nfx
