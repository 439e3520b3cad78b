// Checks of single expressions of a kernel, for verify.cpp.
#pragma once
#include <string>
#include <vector>

#include "loop/kernel.h"
#include "support/result.h"

namespace nfx {

// What an expression may refer to.
struct Scope {
  std::string where;                           // "stage 2, step of r3"
  std::vector<bool> dims;                      // by dimension: has a position
  std::vector<const Reduction*> reductions;    // by number; null: not visible here
  const std::vector<ExprId>* state = nullptr;  // init of the monoid, in its step to finish
  bool other = false;                          // in a merge
  bool loads = true;
};

// Whether `root` is there, well typed and within scope.
Status verify_expr(const Kernel& kernel, ExprId root, const Scope& scope);

}  // namespace nfx
