// The text form of expressions, as it stands in the text of loop kernels:
//
//   max(load b0[d0*s0 + d1], 0.0f) + float32(d1)
//
// `+ - * /` are infix, all else is written as a call; a dtype's name is a cast.
// A constant's text tells its dtype: `3` int64, `1.5` float64, `1.5f` float32,
// `true` bool, others `3:int32`. Floats are given to the bit.
#pragma once
#include <string>
#include <vector>

#include "expr/expr.h"

namespace nfx {

struct ExprNames {
  const std::vector<std::string>* dims = nullptr;   // by dimension; none: d0, d1, ...
  const std::vector<std::string>* bound = nullptr;  // by id; not empty: written by this name
};

// Follows shared expressions as often as they are used: bind the large ones.
void append_text(const ExprPool& pool, ExprId id, const ExprNames& names, std::string& out);

std::string constant_text(const ExprNode& node);

// One line: `load b0[d0*s0 + d1]*2.0f + param0`.
std::string print(const ExprPool& pool, ExprId id);

}  // namespace nfx
