// Local simplification, applied to every node that enters a pool. Only what is
// exact for every value is done: NaN, infinities and signed zeros included on
// floats, wrap-around included on integers. Index arithmetic comes out small:
//
//   i*1 + 0*s        =>  i
//   (i + 2)*4 + 3    =>  i*4 + 11
//   x*1.0            =>  x
//   x + 0.0              stays: -0.0 + 0.0 is 0.0
//
// Operations on constants are folded where the result does not depend on a
// mathematical library, so that a folded and a compiled function never differ.
#pragma once
#include <optional>

#include "expr/expr.h"

namespace nfx {

// The id of a simpler node with the same value, or nothing.
std::optional<ExprId> simplify(ExprPool& pool, const ExprNode& node);

}  // namespace nfx
