#include "rewrite/subgraph_match.h"

#include <algorithm>

namespace nfx {
namespace {

// Ways that a search of one root tries before it gives up. A pattern has more
// only with many equal branches or with parts that nothing connects.
constexpr size_t kMostAttempts = 1024;

bool is_sequence(ArgKind kind) {
  switch (kind) {
    case ArgKind::kTuple:
    case ArgKind::kList:
    case ArgKind::kSize:
    case ArgKind::kNamedTuple: return true;
    default: return false;
  }
}

bool is_structure(ArgKind kind) {
  return is_sequence(kind) || kind == ArgKind::kDict || kind == ArgKind::kSlice ||
         kind == ArgKind::kRange || kind == ArgKind::kCall;
}

// The same structure around the same operands.
bool same_argument(ArgumentView a, ArgumentView b) {
  if (a.id() != b.id()) return false;
  for (uint32_t i = 0; i < a.arg().holes; ++i) {
    const Node x = a.owner().operand(a.first_hole() + i), y = b.owner().operand(b.first_hole() + i);
    if (x != y) return false;
  }
  return true;
}

ArgumentView operand(Node node, uint32_t index) {
  return {node, node.graph().context().hole(), index};
}

ArgumentView keywords(Node node) { return ArgumentView(node, node.arguments(), 0).child(1); }

// The value behind an equal key of a dict.
ArgumentView value_of_key(ArgumentView dict, ArgId key) {
  for (size_t i = 0; i + 1 < dict.size(); i += 2) {
    if (dict.arg().children[i] == key) return dict.child(i + 1);
  }
  return {};
}

}  // namespace

bool SubgraphHost::same_attribute(Node pattern, Node node) {
  return pattern.target() == node.target();
}
bool SubgraphHost::module_writes(Node) { return false; }

ArgumentView SubgraphMatch::value(std::string_view name) const {
  const Node found = pattern_->graph().find(name);
  return found ? value(found) : ArgumentView();
}

Node SubgraphMatch::node(std::string_view name) const {
  const Node found = pattern_->graph().find(name);
  return found ? node(found) : Node();
}

const Type* SubgraphMatch::tensor(std::string_view name) const {
  const Node found = node(name);
  if (!found || found.type().kind != TypeKind::kTensor) return nullptr;
  return &found.type();
}

std::vector<Node> SubgraphMatch::calls() const {
  std::vector<Node> nodes;
  nodes.reserve(pattern_->num_calls());
  for (const Node node : pattern_->graph().nodes()) {
    const bool is_call = node.kind() != NodeKind::kPlaceholder && node.kind() != NodeKind::kOutput;
    if (is_call) nodes.push_back(this->node(node));
  }
  std::ranges::sort(nodes, [](Node a, Node b) { return a.before(b); });
  return nodes;
}

SubgraphMatcher::SubgraphMatcher(const SubgraphPattern& pattern, Graph& graph, SubgraphHost& host,
                                 bool commutes, NodeId first_new)
    : match_(pattern, graph), host_(host), commutes_(commutes), first_new_(first_new) {}

const SubgraphMatch* SubgraphMatcher::match(Node root) {
  unbind(0);
  agenda_.clear();
  choices_.clear();
  attempts_ = 0;
  if (!match_node(match_.pattern().roots().front(), root)) return nullptr;
  return search() ? &match_ : nullptr;
}

bool SubgraphMatcher::search() {
  while (true) {
    bool ok = true;
    while (ok && !agenda_.empty()) {
      const Task task = agenda_.back();
      agenda_.pop_back();
      ok = do_task(task);
    }
    if (ok) {
      const auto& roots = match_.pattern().roots();
      const auto open = std::ranges::find_if(roots, [this](Node r) { return !match_.node(r); });
      if (open == roots.end() && is_contained()) return true;
      if (open != roots.end() && place_next_root(*open)) continue;
    }
    if (!resume()) return false;
  }
}

// Goes back to the last choice that is left.
bool SubgraphMatcher::resume() {
  while (!choices_.empty() && ++attempts_ <= kMostAttempts) {
    Choice& choice = choices_.back();
    unbind(choice.bound);
    const Node pattern = choice.pattern;
    agenda_ = choice.agenda;
    if (choice.swapped) {
      const Node node = choice.swapped;
      choices_.pop_back();
      if (push_arguments(pattern, node, true)) return true;
    } else if (choice.candidates.empty()) {
      choices_.pop_back();
    } else {
      const Node node = choice.candidates.back();
      choice.candidates.pop_back();
      if (match_node(pattern, node)) return true;
    }
  }
  return false;
}

void SubgraphMatcher::unbind(size_t count) {
  while (bound_.size() > count) {
    match_.values_[bound_.back().id().value] = {};
    bound_.pop_back();
  }
}

bool SubgraphMatcher::do_task(const Task& task) {
  if (!task.pattern || !task.graph) return !task.pattern && !task.graph;
  if (task.pattern.is_node()) {
    const Node pattern = task.pattern.node();
    if (pattern.kind() == NodeKind::kPlaceholder) return bind_placeholder(pattern, task.graph);
    return task.graph.is_node() && match_node(pattern, task.graph.node());
  }
  const ArgKind kind = task.pattern.kind();
  if (!is_structure(kind)) return task.pattern.id() == task.graph.id();
  if (task.pattern.id() == task.graph.id() && task.pattern.arg().holes == 0) return true;
  const ArgKind given = task.graph.kind();
  // A traced pattern spells a list where the graph may have a tuple.
  if (given != kind && !(is_sequence(kind) && is_sequence(given))) return false;
  return do_sequence(task);
}

bool SubgraphMatcher::do_sequence(const Task& task) {
  const size_t size = task.pattern.size();
  if (task.graph.size() != size) return false;
  if (task.pattern.kind() == ArgKind::kDict) {
    for (size_t i = 0; i + 1 < size; i += 2) {
      const ArgumentView found = value_of_key(task.graph, task.pattern.arg().children[i]);
      if (!found) return false;
      agenda_.push_back({task.pattern.child(i + 1), found});
    }
    return true;
  }
  for (size_t i = size; i-- > 0;) agenda_.push_back({task.pattern.child(i), task.graph.child(i)});
  return true;
}

bool SubgraphMatcher::bind_placeholder(Node pattern, ArgumentView given) {
  SubgraphMatch::Value& value = match_.values_[pattern.id().value];
  if (value) return same_argument(value.given, given);
  value = {.node = given.node(), .given = given};
  bound_.push_back(pattern);
  return true;
}

bool SubgraphMatcher::same_target(Node pattern, Node node) {
  if (pattern.kind() != node.kind()) return false;
  if (node.kind() == NodeKind::kGetAttr) return host_.same_attribute(pattern, node);
  const NodeRecord& a = pattern.graph().table().records[pattern.id().value];
  const NodeRecord& b = node.graph().table().records[node.id().value];
  if (a.target != b.target) return false;
  // Two functions may have one name: lambdas, functions inside functions.
  return !a.target_object || !b.target_object || a.target_object == b.target_object;
}

bool SubgraphMatcher::match_node(Node pattern, Node node) {
  SubgraphMatch::Value& value = match_.values_[pattern.id().value];
  if (value) return value.node == node;
  if (node.id() >= first_new_ || !same_target(pattern, node)) return false;
  for (const Node other : bound_) {
    if (other.kind() != NodeKind::kPlaceholder && match_.node(other) == node) return false;
  }
  value = {.node = node, .given = {}};
  bound_.push_back(pattern);
  return match_arguments(pattern, node);
}

bool SubgraphMatcher::match_arguments(Node pattern, Node node) {
  if (!commutes_ || num_positional(pattern) < 2 || !arguments_commute(node)) {
    return push_arguments(pattern, node, false);
  }
  const ArgumentView p0 = positional(pattern, 0), p1 = positional(pattern, 1);
  const ArgumentView g0 = positional(node, 0), g1 = positional(node, 1);
  const bool straight = plausible(p0, g0) && plausible(p1, g1);
  const bool swapped = plausible(p0, g1) && plausible(p1, g0);
  if (straight && swapped) {
    choices_.push_back({agenda_, bound_.size(), pattern, node, {}});
  }
  return (straight || swapped) && push_arguments(pattern, node, !straight);
}

// Whether a look at the top speaks against it.
bool SubgraphMatcher::plausible(ArgumentView pattern, ArgumentView given) {
  if (!pattern.is_node()) return pattern.id() == given.id();
  const Node wanted = pattern.node();
  const SubgraphMatch::Value& value = match_.values_[wanted.id().value];
  if (wanted.kind() == NodeKind::kPlaceholder) return !value || same_argument(value.given, given);
  if (!given.is_node()) return false;
  return value ? value.node == given.node() : same_target(wanted, given.node());
}

bool SubgraphMatcher::push_arguments(Node pattern, Node node, bool swapped) {
  if (!swapped && pattern.arguments() == node.arguments()) {
    for (uint32_t i = node.num_operands(); i-- > 0;) {
      agenda_.push_back({operand(pattern, i), operand(node, i)});
    }
    return true;
  }
  const OpInfo* op = node.op();
  if (op == nullptr || op->schema == nullptr) return push_positional(pattern, node, swapped);
  const size_t count = op->schema->args.size();
  for (size_t i = count; i-- > 0;) {
    const size_t other = swapped && i < 2 ? 1 - i : i;
    agenda_.push_back({argument(pattern, i), argument(node, other)});
  }
  return true;
}

bool SubgraphMatcher::push_positional(Node pattern, Node node, bool swapped) {
  const size_t count = num_positional(pattern);
  if (num_positional(node) != count) return false;
  if (!do_sequence({keywords(pattern), keywords(node)})) return false;
  for (size_t i = count; i-- > 0;) {
    const size_t other = swapped && i < 2 ? 1 - i : i;
    agenda_.push_back({positional(pattern, i), positional(node, other)});
  }
  return true;
}

bool asserts_type(Node node) {
  return node.target() == "aten._assert_tensor_metadata.default" && !node.has_uses();
}

bool SubgraphMatcher::is_contained() const {
  for (const Node pattern : bound_) {
    if (pattern.kind() == NodeKind::kPlaceholder || match_.pattern().returns(pattern)) continue;
    for (const Use use : match_.graph().uses(match_.node(pattern))) {
      const auto is_user = [&](Node other) {
        return other.kind() != NodeKind::kPlaceholder && match_.node(other).id() == use.user;
      };
      if (std::ranges::any_of(bound_, is_user)) continue;
      if (!asserts_type(match_.graph().node(use.user))) return false;
    }
  }
  return true;
}

}  // namespace nfx
