#include "ops/view_index.h"

#include <algorithm>

namespace nfx {

Expr constant_position(ElementContext& context, int64_t value) {
  return {&context.pool(), context.pool().constant(Dtype::kInt64, value)};
}

Expr linear_position(ElementContext& context, std::span<const Expr> index,
                     std::span<const SymExprId> sizes) {
  Expr position = constant_position(context, 0);
  for (size_t d = 0; d < index.size(); ++d) position = position * context.size(sizes[d]) + index[d];
  return position;
}

std::vector<Expr> position_to_index(ElementContext& context, Expr position,
                                    std::span<const SymExprId> sizes) {
  std::vector<Expr> index(sizes.size());
  for (size_t d = sizes.size(); d-- > 0;) {
    index[d] = d == 0 ? position : remainder(position, context.size(sizes[d]));
    position = floordiv(position, context.size(sizes[d]));
  }
  return index;
}

SymExprId wrapped_position(Context& context, SymExprId position, SymExprId size) {
  if (range_of(context, position).upper < 0) {
    const SymExprId from_start[] = {sym_add(context, position, size), sym_int(context, 0)};
    position = sym(context, SymOp::kMax, from_start);
  }
  const SymExprId both[] = {position, size};
  return sym(context, SymOp::kMin, both);
}

}  // namespace nfx
