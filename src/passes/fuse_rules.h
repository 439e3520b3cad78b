// The sets of fusion rules. Each is a pass too.
#pragma once
#include "passes/pass.h"
#include "rewrite/rule_text.h"

namespace nfx {

const TextRuleSet& attention_rules();
const TextRuleSet& gelu_rules();
const TextRuleSet& rms_norm_rules();
const TextRuleSet& rotary_rules();

// Applies a set whose texts are ours, and so are right.
Changed apply_fusion(Graph& graph, const TextRuleSet& set);

}  // namespace nfx
