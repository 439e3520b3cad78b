// Rules whose sides are graphs, and their application.
#pragma once
#include <functional>
#include <span>
#include <string>

#include "rewrite/subgraph_match.h"
#include "rewrite/subgraph_replace.h"

namespace nfx {

struct SubgraphRule {
  std::string name;
  Graph* pattern = nullptr;  // both in the Context of what is rewritten
  Graph* replacement = nullptr;
  std::function<bool(const SubgraphMatch&)> where;  // null: always
  // Gives what the replacement takes beyond the arguments of the pattern.
  ComputedInput compute;
  bool commutes = true;
};

struct SubgraphOptions {
  SubgraphHost* host = nullptr;          // null: attributes are the same if their names are
  SubgraphListener* listener = nullptr;  // told of every application
  bool repeat = false;                   // again while a rule applies
};

// Applies each rule once from the first node to the last, then the next one. A
// match takes no node that the same rule made, and none of another match; of two
// that overlap the earlier one counts. The time is proportional to the size of the
// graph. Returns how often a rule applied. Each application is told to RuleTrace:
//   gelu: %mul_3 becomes %gelu
// Errors: those of SubgraphPattern::make and check_replacement; `endless-rules`.
Result<size_t> apply_subgraph_rules(Graph& graph, std::span<const SubgraphRule> rules,
                                    const SubgraphOptions& options = {});

}  // namespace nfx
