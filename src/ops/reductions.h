// What the rows of reductions share.
#pragma once
#include <vector>

#include "ops/op_row.h"

namespace nfx {

// Dimensions of operand 0 that a list or integer argument names, not negative,
// sorted. None and an empty list name all of them, as in `sum`.
std::vector<int64_t> reduced_dims(Node node, std::string_view name = "dim");

// Sizes of operand 0 without the reduced dimensions (with keepdim: 1 in their place).
std::vector<SymExprId> reduced_sizes(Node node, const std::vector<int64_t>& dims, bool keepdim);

}  // namespace nfx
