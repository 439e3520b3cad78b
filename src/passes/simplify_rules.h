// The rule sets of the pass `simplify`.
#pragma once
#include "rewrite/rule.h"

namespace nfx {

const RuleSet& simplify_arithmetic();
const RuleSet& simplify_logic();
const RuleSet& simplify_rounding();

}  // namespace nfx
