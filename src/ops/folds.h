// Monoids that reduction rows share. A state is one or more expressions.
#pragma once
#include "ops/define.h"

namespace nfx {

// One state; `start` is its first value, `join` both step and merge.
using Join2 = Expr (*)(Expr, Expr);
void simple_monoid(Fold& fold, double start, Join2 join);
void extreme_monoid(Fold& fold, bool largest);      // value only
void arg_extreme_monoid(Fold& fold, bool largest);  // value and first position; NaN is the extreme
void welford_monoid(Fold& fold);                    // mean, sum of squared deviations, count

// Dims of the argument `name` (none or empty: all), wrapped and sorted; keepdim.
Fold fold_over(Node node, std::string_view dims_name);

// Sizes of the result of a fold.
std::vector<SymExprId> folded_sizes(const Fold& fold);

}  // namespace nfx
