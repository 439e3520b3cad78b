// Positions of views: where an element of the result stands in the input.
#pragma once
#include <vector>

#include "ops/define.h"

namespace nfx {

// Row-major position of `index` in a tensor of these sizes, and back.
Expr linear_position(ElementContext& context, std::span<const Expr> index,
                     std::span<const SymExprId> sizes);
std::vector<Expr> position_to_index(ElementContext& context, Expr position,
                                    std::span<const SymExprId> sizes);

Expr constant_position(ElementContext& context, int64_t value);

// A start argument of slice, select or narrow as PyTorch reads it: negative ones
// count from the end, and slices are cut to the size.
SymExprId wrapped_position(Context& context, SymExprId position, SymExprId size);

}  // namespace nfx
