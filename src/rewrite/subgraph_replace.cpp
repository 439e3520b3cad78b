#include "rewrite/subgraph_replace.h"

#include <algorithm>

#include "ops/op_row.h"

namespace nfx {
namespace {

struct UnlikeReplacement {
  static constexpr std::string_view kCode = "unlike-replacement";
  std::string name, what;
  size_t pattern = 0, replacement = 0;
  std::string message() const {
    return "the pattern `" + name + "` has " + std::to_string(pattern) + ' ' + what +
           ", its replacement " + std::to_string(replacement);
  }
  std::string help() const { return "the same ones, in the same order, used or not"; }
};
NFX_DIAGNOSTIC(UnlikeReplacement);

struct ReplacedInput {
  static constexpr std::string_view kCode = "replaced-input";
  std::string name, input;
  std::string message() const {
    return "the pattern `" + name + "` returns its argument `" + input +
           "`, its replacement something else in its place";
  }
  std::string help() const { return "a rule replaces what it computes; leave the argument out"; }
};
NFX_DIAGNOSTIC(ReplacedInput);

struct UnboundArgument {
  static constexpr std::string_view kCode = "unbound-argument";
  std::string name, input;
  std::string message() const {
    return "the pattern `" + name + "` does not use its argument `" + input +
           "`, which its replacement needs";
  }
  std::string help() const { return "only what the pattern uses is known where it matches"; }
};
NFX_DIAGNOSTIC(UnboundArgument);

constexpr uint32_t kNoInput = UINT32_MAX;
// Users that one application moves at most.
constexpr size_t kMostLate = 4096;

size_t index_of(const std::vector<Node>& nodes, Node node) {
  return static_cast<size_t>(std::ranges::find(nodes, node) - nodes.begin());
}

bool stands_before(Node a, Node b) { return a.before(b); }

}  // namespace

Status check_replacement(const SubgraphPattern& pattern, const Graph& replacement, bool computes) {
  const std::string& name = pattern.graph().name();
  const std::vector<Node> inputs = pattern.graph().placeholders();
  const std::vector<Node> given = replacement.placeholders();
  if (computes ? inputs.size() > given.size() : inputs.size() != given.size()) {
    return diagnose(UnlikeReplacement{name, "arguments", inputs.size(), given.size()});
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (given[i].has_uses() && !inputs[i].has_uses()) {
      return diagnose(UnboundArgument{name, std::string(inputs[i].name())});
    }
  }
  const std::vector<Node> results = results_of(replacement);
  if (pattern.results().size() != results.size()) {
    return diagnose(UnlikeReplacement{name, "results", pattern.results().size(), results.size()});
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const Node result = pattern.results()[i];
    if (result.kind() != NodeKind::kPlaceholder) continue;
    if (index_of(given, results[i]) != index_of(inputs, result)) {
      return diagnose(ReplacedInput{name, std::string(result.name())});
    }
  }
  return success();
}

SubgraphReplacer::SubgraphReplacer(const SubgraphPattern& pattern, const Graph& replacement,
                                   const ComputedInput& compute, Graph& graph, WriteOrder& writes)
    : pattern_(pattern),
      replacement_(replacement),
      graph_(graph),
      writes_(writes),
      compute_(compute),
      inputs_(pattern.graph().placeholders()),
      given_(replacement.placeholders()),
      results_(results_of(replacement)),
      input_of_(replacement.id_limit(), kNoInput),
      copies_(replacement.id_limit()) {
  uint32_t count = 0;
  for (const Node node : given_) input_of_[node.id().value] = count++;
}

bool SubgraphReplacer::replace(const SubgraphMatch& match, SubgraphListener* listener) {
  calls_ = match.calls();
  const Node last = calls_.back();
  if (!has_results(match) || reads_itself(match) || !find_late_users(match, last)) return false;
  if (writes_.disturbs(calls_, calls_.front(), last) || !compute_inputs(match)) return false;
  find_assertions();
  build(match, last);
  if (listener != nullptr) listener->applied({match, made_, with_, late_, assertions_});
  finish(match, last);
  return true;
}

bool SubgraphReplacer::is_inside(Node node) const {
  return std::ranges::find(calls_, node) != calls_.end();
}

// A constant cannot take the place of a node.
bool SubgraphReplacer::has_results(const SubgraphMatch& match) const {
  return std::ranges::all_of(results_, [&](Node result) {
    const uint32_t input = input_of_[result.id().value];
    return input == kNoInput || input_node(input, match);
  });
}

Node SubgraphReplacer::input_node(uint32_t input, const SubgraphMatch& match) const {
  return input < inputs_.size() ? match.node(inputs_[input]) : Node();
}

bool SubgraphReplacer::compute_inputs(const SubgraphMatch& match) {
  computed_.clear();
  for (size_t i = inputs_.size(); i < given_.size(); ++i) {
    const std::optional<ArgId> value = compute_(match, given_[i].name());
    if (!value) return false;
    computed_.push_back(*value);
  }
  return true;
}

// One part of the match feeds another through what the pattern calls an input.
bool SubgraphReplacer::reads_itself(const SubgraphMatch& match) const {
  if (pattern_.roots().size() == 1) return false;
  return std::ranges::any_of(inputs_, [&](Node input) {
    const ArgumentView value = match.value(input);
    for (uint32_t i = 0; value && i < value.arg().holes; ++i) {
      if (is_inside(value.owner().operand(value.first_hole() + i))) return true;
    }
    return false;
  });
}

// Users of results between the nodes of the match have to stand behind all of it.
// That cannot be if the match needs one of them.
bool SubgraphReplacer::find_late_users(const SubgraphMatch& match, Node last) {
  late_.clear();
  if (pattern_.results().size() == 1) return true;
  for (const Node result : pattern_.results()) {
    if (result.kind() == NodeKind::kPlaceholder) continue;
    for (const Use use : graph_.uses(match.node(result))) {
      const Node user = graph_.node(use.user);
      if (!is_inside(user) && user.before(last) && !follow(user, last)) return false;
    }
  }
  std::ranges::sort(late_, stands_before);
  return late_.empty() || !writes_.any() || !writes_.disturbs(late_, late_.front(), last);
}

bool SubgraphReplacer::follow(Node node, Node last) {
  if (std::ranges::find(late_, node) != late_.end()) return true;
  size_t next = late_.size();
  late_.push_back(node);
  for (; next < late_.size(); ++next) {
    for (const Use use : graph_.uses(late_[next])) {
      const Node user = graph_.node(use.user);
      if (is_inside(user) || late_.size() > kMostLate) return false;
      if (!user.before(last) || std::ranges::find(late_, user) != late_.end()) continue;
      late_.push_back(user);
    }
  }
  return true;
}

void SubgraphReplacer::find_assertions() {
  assertions_.clear();
  for (const Node call : calls_) {
    for (const Use use : graph_.uses(call)) {
      const Node user = graph_.node(use.user);
      if (asserts_type(user)) assertions_.push_back(user);
    }
  }
}

void SubgraphReplacer::build(const SubgraphMatch& match, Node before) {
  made_.clear();
  with_.clear();
  graph_.set_insertion_point(before);
  for (const Node node : replacement_.nodes()) {
    if (node.kind() == NodeKind::kOutput) continue;
    const uint32_t input = input_of_[node.id().value];
    copies_[node.id().value] = input == kNoInput ? copy(node, match) : input_node(input, match);
  }
  graph_.set_insertion_point({});
  for (size_t i = 0; i < results_.size(); ++i) {
    const Node with = copies_[results_[i].id().value];
    with_.push_back(with);
    const Node replaced = match.node(pattern_.results()[i]);
    const bool is_new = input_of_[results_[i].id().value] == kNoInput;
    if (is_new && replaced.type_id()) graph_.set_type(with, replaced.type_id());
    if (is_new) graph_.inherit_meta(with, replaced);
  }
}

Node SubgraphReplacer::copy(Node source, const SubgraphMatch& match) {
  operands_.clear();
  bool only_nodes = true;
  for (uint32_t i = 0; i < source.num_operands(); ++i) {
    const uint32_t input = input_of_[source.operand(i).id().value];
    const Node operand =
        input == kNoInput ? copies_[source.operand(i).id().value] : input_node(input, match);
    only_nodes &= static_cast<bool>(operand);
    operands_.push_back(operand);
  }
  ArgId arguments = source.arguments();
  if (!only_nodes) {
    operands_.clear();
    arguments = substitute({source, arguments, 0}, match);
  }
  const Node made = graph_.add(source.kind(), source.target(), arguments, operands_, source.name());
  if (source.target_object()) graph_.set_target(made, source.target(), source.target_object());
  graph_.inherit_meta(made, match.root());
  infer_type(made);
  if (made.kind() == NodeKind::kGetAttr || made.kind() == NodeKind::kCallModule) {
    const auto found = replacement_.attributes().find(source.target());
    if (found != replacement_.attributes().end()) graph_.attributes().insert(*found);
  }
  made_.push_back(made);
  return made;
}

// An argument of the replacement with what its placeholders stand for; nodes of it
// are appended to the operands.
ArgId SubgraphReplacer::substitute(ArgumentView argument, const SubgraphMatch& match) {
  if (argument.arg().holes == 0) return argument.id();
  if (argument.is_node()) {
    const Node source = argument.node();
    const uint32_t input = input_of_[source.id().value];
    if (input == kNoInput) {
      operands_.push_back(copies_[source.id().value]);
      return argument.id();
    }
    if (input >= inputs_.size()) return computed_[input - inputs_.size()];
    const ArgumentView value = match.value(inputs_[input]);
    for (uint32_t i = 0; i < value.arg().holes; ++i) {
      operands_.push_back(value.owner().operand(value.first_hole() + i));
    }
    return value.id();
  }
  std::vector<ArgId> children;
  for (size_t i = 0; i < argument.size(); ++i) {
    children.push_back(substitute(argument.child(i), match));
  }
  Arg structure = argument.arg();
  structure.children = children;
  return graph_.context().intern(structure);
}

void SubgraphReplacer::infer_type(Node made) {
  const OpRow* row = op_row(made);
  if (row == nullptr || !row->type) return;
  for (uint32_t i = 0; i < made.num_operands(); ++i) {
    if (!made.operand(i).type_id()) return;
  }
  if (const Result<TypeId> type = row->type(made)) graph_.set_type(made, *type);
}

void SubgraphReplacer::finish(const SubgraphMatch& match, Node last) {
  for (const Node made : made_) writes_.added(made);
  for (size_t i = 0; i < with_.size(); ++i) {
    const Node replaced = match.node(pattern_.results()[i]);
    if (replaced == with_[i]) continue;
    graph_.replace_all_uses(replaced, with_[i]);
  }
  for (const Node node : late_) graph_.move_before(node, last);
  for (const Node node : assertions_) graph_.erase(node);
  for (size_t i = calls_.size(); i-- > 0;) {
    if (calls_[i].has_uses()) continue;
    writes_.erased(calls_[i]);
    graph_.erase(calls_[i]);
  }
}

}  // namespace nfx
