#include "rewrite/subgraph_rule.h"

#include "rewrite/driver.h"

namespace nfx {
namespace {

struct EndlessRules {
  static constexpr std::string_view kCode = "endless-rules";
  size_t applied = 0;
  std::string message() const {
    return "the rules still apply after " + std::to_string(applied) + " times";
  }
  std::string help() const { return "apply them once, or let what they make match none of them"; }
};
NFX_DIAGNOSTIC(EndlessRules);

// One walk over the graph with one rule.
class Sweep {
 public:
  Sweep(Graph& graph, const SubgraphRule& rule, const SubgraphPattern& pattern, WriteOrder& writes,
        SubgraphHost& host)
      : graph_(graph),
        rule_(rule),
        root_(pattern.roots().front()),
        first_new_{static_cast<uint32_t>(graph.id_limit())},
        matcher_(pattern, graph, host, rule.commutes, first_new_),
        replacer_(pattern, *rule.replacement, rule.compute, graph, writes) {}

  size_t run(SubgraphListener* listener) {
    size_t applied = 0;
    const NodeKind kind = root_.kind();
    const StringId target = root_.graph().table().records[root_.id().value].target;
    for (const Node node : graph_.nodes()) {
      const NodeRecord& record = graph_.table().records[node.id().value];
      if (record.kind != kind || node.id() >= first_new_) continue;
      if (record.target != target && kind != NodeKind::kGetAttr) continue;
      if (apply(node, listener)) ++applied;
    }
    return applied;
  }

 private:
  bool apply(Node node, SubgraphListener* listener) {
    const SubgraphMatch* match = matcher_.match(node);
    if (match == nullptr || (rule_.where && !rule_.where(*match))) return false;
    const std::string name(RuleTrace::is_on() ? node.name() : std::string_view());
    if (!replacer_.replace(*match, listener)) return false;
    if (RuleTrace::is_on()) tell(name);
    return true;
  }

  void tell(const std::string& replaced) const {
    std::string line = rule_.name + ": %" + replaced + " becomes";
    for (const Node node : replacer_.with()) line += " %" + std::string(node.name());
    RuleTrace::tell(line);
  }

  Graph& graph_;
  const SubgraphRule& rule_;
  Node root_;
  NodeId first_new_;
  SubgraphMatcher matcher_;
  SubgraphReplacer replacer_;
};

}  // namespace

Result<size_t> apply_subgraph_rules(Graph& graph, std::span<const SubgraphRule> rules,
                                    const SubgraphOptions& options) {
  SubgraphHost plain;
  SubgraphHost& host = options.host != nullptr ? *options.host : plain;
  std::vector<SubgraphPattern> patterns;
  for (const SubgraphRule& rule : rules) {
    NFX_ASSIGN(SubgraphPattern pattern, SubgraphPattern::make(*rule.pattern));
    NFX_TRY(check_replacement(pattern, *rule.replacement, rule.compute != nullptr));
    patterns.push_back(std::move(pattern));
  }
  WriteOrder writes(graph, [&host](Node node) { return host.module_writes(node); });
  const size_t limit = 16 * graph.size() + 64;
  size_t applied = 0, before = 0;
  do {
    before = applied;
    for (size_t i = 0; i < rules.size(); ++i) {
      applied += Sweep(graph, rules[i], patterns[i], writes, host).run(options.listener);
    }
    if (applied > limit) return diagnose(EndlessRules{applied});
  } while (options.repeat && applied > before);
  return applied;
}

}  // namespace nfx
