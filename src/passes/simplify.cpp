#include "passes/simplify.h"

#include "passes/simplify_rules.h"
#include "rewrite/driver.h"

namespace nfx {
namespace {

Changed run(Graph& graph, const RewriteOptions& options) {
  const RuleSet* const sets[] = {&simplify_arithmetic(), &simplify_logic(), &simplify_rounding()};
  return apply_rules(graph, sets, options) > 0 ? Changed::kYes : Changed::kNo;
}

}  // namespace

Changed simplify(Graph& graph) { return run(graph, {}); }
Changed reassociate(Graph& graph) { return run(graph, {.reassociate = true}); }

NFX_PASS(simplify, "apply equations that hold to the bit");
NFX_PASS(reassociate, "apply equations of real numbers too, which round differently on floats");

}  // namespace nfx
