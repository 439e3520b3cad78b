// Rules in text form: two graphs and a condition.
//
//   const TextRule kSilu = {
//       "silu",
//       R"(graph @silu {
//            %x = placeholder "x"
//            %gate = call aten.sigmoid.default(%x)
//            %y = call aten.mul.Tensor(%x, %gate)
//            output(%y)
//          })",
//       R"(graph @silu {
//            %x = placeholder "x"
//            %y = call aten.silu.default(%x)
//            output(%y)
//          })"};
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "rewrite/subgraph_rule.h"

namespace nfx {

struct TextRule {
  std::string name;
  std::string pattern;
  std::string replacement;
  std::function<bool(const SubgraphMatch&)> where = nullptr;
  ComputedInput compute = nullptr;
};

// Rules that belong together, offered by name.
struct TextRuleSet {
  std::string_view name;
  std::string_view summary;  // what it makes, and whether the result rounds differently
  std::vector<TextRule> rules;
};

// Null if there is no set of that name.
const TextRuleSet* find_text_rules(std::string_view name);
std::vector<const TextRuleSet*> all_text_rules();  // by name
bool register_text_rules(const TextRuleSet& (*rules)());

// The rules of a set in the Context of a graph, those left out whose ops the graph
// cannot have. Errors: what the parser says of a text.
class BoundRules {
 public:
  static Result<BoundRules> bind(const TextRuleSet& set, const Graph& graph);
  const std::vector<SubgraphRule>& rules() const { return rules_; }

 private:
  std::vector<std::unique_ptr<Graph>> graphs_;
  std::vector<SubgraphRule> rules_;
};

// Errors: as of apply_subgraph_rules.
Result<size_t> apply_text_rules(Graph& graph, const TextRuleSet& set,
                                const SubgraphOptions& options = {});

}  // namespace nfx

#define NFX_TEXT_RULES(function) \
  [[maybe_unused]] static const bool registered_##function = ::nfx::register_text_rules(&function)
