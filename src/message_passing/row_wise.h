// Which nodes compute each row of their result from the same row of operands.
#pragma once
#include <optional>
#include <vector>

#include "ir/graph.h"

namespace nfx {

// For each operand, whether row i of the result depends on row i of it and on no
// other (true), or on none of its rows in particular (false: a scalar, a bias, the
// table that rows are gathered from). Nothing if rows of the result depend on
// their position or on other rows, or if that is not known.
//
//   mul(%m [E, F], %w [E, 1])          true, true
//   add(%m [E, F], %b [F])             true, false
//   mp.gather(%x [N, F], %i [E])       false, true
std::optional<std::vector<bool>> row_operands(Node node);

}  // namespace nfx
