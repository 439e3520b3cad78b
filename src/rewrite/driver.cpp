#include "rewrite/driver.h"

#include <algorithm>
#include <cassert>
#include <deque>
#include <unordered_map>

#include "rewrite/build.h"
#include "rewrite/effects.h"
#include "rewrite/memory_facts.h"

namespace nfx {
namespace {

thread_local RuleTrace* innermost = nullptr;

class Driver {
 public:
  Driver(Graph& graph, std::span<const RuleSet* const> sets, const RewriteOptions& options)
      : graph_(graph),
        memory_(graph),
        matcher_([this](Node node) { return constant(node); }),
        // Rules that feed each other for ever are a fault of ours.
        limit_(16 * graph.size() + 64) {
    for (const RuleSet* set : sets) {
      for (const Rule& rule : set->rules()) {
        if (!rule.reassociates || options.reassociate) index(*set, rule);
      }
    }
  }

  size_t run() {
    for (const Node node : graph_.nodes()) push(node);
    while (!worklist_.empty() && fired_ < limit_) {
      const Node node = graph_.node(worklist_.front());
      worklist_.pop_front();
      queued_[node.id().value] = false;
      if (!is_erased(node)) visit(node);
    }
    assert(fired_ < limit_ && "rewrite rules do not come to an end");
    return fired_;
  }

 private:
  struct Entry {
    const RuleSet* set;
    const Rule* rule;
  };

  void index(const RuleSet& set, const Rule& rule) {
    for (const std::string_view target : rule.from.op->targets) {
      rules_[graph_.context().intern(target)].push_back({&set, &rule});
    }
  }

  const std::vector<Entry>* rules_of(Node node) const {
    const auto found = rules_.find(graph_.table().records[node.id().value].target);
    return found == rules_.end() ? nullptr : &found->second;
  }

  bool is_erased(Node node) const { return graph_.table().records[node.id().value].erased; }

  void push(Node node) {
    const uint32_t id = node.id().value;
    if (node.kind() != NodeKind::kCallFunction || rules_of(node) == nullptr) return;
    if (queued_.size() <= id) queued_.resize(id + 1);
    if (queued_[id]) return;
    queued_[id] = true;
    worklist_.push_back(node.id());
  }

  void visit(Node node) {
    for (const Entry& entry : *rules_of(node)) {
      if (apply(entry, node)) return;
    }
  }

  bool apply(const Entry& entry, Node node) {
    const Rule& rule = *entry.rule;
    if (!is_pure(node) && !(rule.draws_nothing && node.has(Trait::kRandom))) return false;
    const std::optional<Match> match = matcher_.match(rule.from, node);
    if (!match || (rule.condition.test && !rule.condition.test(*match))) return false;
    for (const Node seen : match->nodes()) {
      if (memory_.is_written(seen)) return false;
    }
    const std::optional<Built> built = build_right_side(rule.to, *match);
    if (!built) return false;
    const bool is_new = built->node.id().value >= built->first_new;
    if (!is_new && !memory_.may_replace(node, built->node)) {
      remove_nodes_from(graph_, built->first_new);
      return false;
    }
    ++fired_;
    trace_rule(*entry.set, rule, node, built->node);
    replace(node, *built);
    return true;
  }

  void replace(Node node, const Built& built) {
    for (size_t id = built.first_new; id < graph_.id_limit(); ++id) {
      const Node made = graph_.node(NodeId{static_cast<uint32_t>(id)});
      if (is_erased(made)) continue;
      graph_.inherit_meta(made, node);
      memory_.added(made);
      push(made);
    }
    memory_.replaced(node, built.node);
    for (const Use use : graph_.uses(node)) push(graph_.node(use.user));
    graph_.replace_all_uses(node, built.node);
    erase_unused(node);
  }

  void erase_unused(Node node) {
    std::vector<Node> unused{node};
    while (!unused.empty()) {
      const Node next = unused.back();
      unused.pop_back();
      if (is_erased(next) || next.has_uses() || (next != node && !is_pure(next))) continue;
      for (uint32_t i = 0; i < next.num_operands(); ++i) unused.push_back(next.operand(i));
      graph_.erase(next);
    }
  }

  std::optional<Constant> constant(Node node) {
    if (!node.has(Trait::kFactory) || memory_.is_written(node)) return std::nullopt;
    const auto [entry, is_new] = constants_.try_emplace(node.id().value);
    if (is_new) entry->second = constant_of(node);
    return entry->second;
  }

  Graph& graph_;
  MemoryFacts memory_;
  Matcher matcher_;
  size_t limit_;
  size_t fired_ = 0;
  std::unordered_map<StringId, std::vector<Entry>> rules_;
  std::unordered_map<uint32_t, std::optional<Constant>> constants_;
  std::deque<NodeId> worklist_;
  std::vector<bool> queued_;
};

}  // namespace

size_t apply_rules(Graph& graph, std::span<const RuleSet* const> sets,
                   const RewriteOptions& options) {
  return Driver(graph, sets, options).run();
}

RuleTrace::RuleTrace(std::function<void(const std::string& line)> sink)
    : sink_(std::move(sink)), outer_(innermost) {
  innermost = this;
}

RuleTrace::~RuleTrace() { innermost = outer_; }

bool RuleTrace::is_on() { return innermost != nullptr; }

void RuleTrace::tell(const std::string& line) {
  if (innermost != nullptr) innermost->sink_(line);
}

void trace_rule(const RuleSet& set, const Rule& rule, Node node, Node with) {
  if (!RuleTrace::is_on()) return;
  std::string line(set.name());
  line += ": " + rule.str() + ": %";
  line += node.name();
  line += " becomes %";
  line += with.name();
  RuleTrace::tell(line);
}

}  // namespace nfx
