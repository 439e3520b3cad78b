// Rules for the operations that are not sums or products. Each takes operands
// that are simplified already and gives a simplified expression.
#pragma once
#include <span>

#include "ir/sym_expr.h"

namespace nfx {

SymExprId simplify_floordiv(Context& context, SymExprId a, SymExprId b);
SymExprId simplify_ceildiv(Context& context, SymExprId a, SymExprId b);
SymExprId simplify_mod(Context& context, SymExprId a, SymExprId b);
SymExprId simplify_extremum(Context& context, SymOp op, std::span<const SymExprId> operands);
SymExprId simplify_pow(Context& context, SymExprId base, SymExprId exponent);

SymExprId simplify_relation(Context& context, SymOp op, SymExprId a, SymExprId b);
SymExprId simplify_logic(Context& context, SymOp op, std::span<const SymExprId> operands);
SymExprId simplify_not(Context& context, SymExprId a);
SymExprId simplify_where(Context& context, SymExprId condition, SymExprId a, SymExprId b);

}  // namespace nfx
