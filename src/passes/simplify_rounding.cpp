#include "passes/simplify_rules.h"
#include "rewrite/pattern_ops.h"

namespace nfx {
namespace {

using namespace pattern;  // NOLINT: the words of this file

// What is rounded to an integer once stays so.
RuleSet make() {
  RuleSet rules("simplify_rounding");
  const Var x("x");
  for (const PatternOp* inner : {&floor, &ceil, &trunc, &round}) {
    for (const PatternOp* outer : {&floor, &ceil, &trunc, &round}) {
      rules.rewrite((*outer)((*inner)(x)), (*inner)(x));
    }
  }
  return rules;
}

}  // namespace

const RuleSet& simplify_rounding() {
  static const RuleSet rules = make();
  return rules;
}

NFX_RULES(simplify_rounding);

}  // namespace nfx
