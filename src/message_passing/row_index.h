// Which rows an index tensor names.
#pragma once
#include "ir/graph.h"

namespace nfx {

// The tensor [rows] of row numbers that `index` repeats along all of its other
// dimensions, as scatter_add and gather want it:
//
//   %i = select(%edge_index, 0, 1)   %v = view(%i, [-1, 1])   %x = expand(%v, [E, F])
//
// gives %i for %x. `index` itself where it has one dimension; none if rows differ
// along another one.
Node row_index(Node index);

// Whether the operand is a tensor of int32 or int64.
bool is_index(Node node);

}  // namespace nfx
