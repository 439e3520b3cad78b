// Applies rules until none fires. Rules are found by the op of their left side's
// root, and after a change only the users of what changed are looked at again, so
// the time is proportional to the size of the graph.
#pragma once
#include <functional>
#include <span>
#include <string>

#include "rewrite/rule.h"

namespace nfx {

struct RewriteOptions {
  bool reassociate = false;  // also the rules that are not exact on floats
};

// Returns how many rules fired. New nodes take type and origin of what they
// replace; what is no longer used goes.
size_t apply_rules(Graph& graph, std::span<const RuleSet* const> sets,
                   const RewriteOptions& options = {});

// While it lives, `sink` gets a line for every rule that fires in this thread:
//   simplify_arithmetic: neg(neg(x)) => x: %neg_1 becomes %x
class RuleTrace {
 public:
  explicit RuleTrace(std::function<void(const std::string& line)> sink);
  ~RuleTrace();
  RuleTrace(const RuleTrace&) = delete;
  RuleTrace& operator=(const RuleTrace&) = delete;

  // The innermost one of this thread: whether there is one, and a line for it.
  static bool is_on();
  static void tell(const std::string& line);

 private:
  std::function<void(const std::string&)> sink_;
  RuleTrace* outer_;
};

// Tells the innermost RuleTrace of this thread, if there is one.
void trace_rule(const RuleSet& set, const Rule& rule, Node node, Node with);

}  // namespace nfx
