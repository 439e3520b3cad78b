#include "passes/fuse_rules.h"

#include <cassert>

namespace nfx {

Changed apply_fusion(Graph& graph, const TextRuleSet& set) {
  const Result<size_t> applied = apply_text_rules(graph, set);
  assert(applied.ok() && "a fusion rule is not well formed");
  return applied.ok() && *applied > 0 ? Changed::kYes : Changed::kNo;
}

}  // namespace nfx
