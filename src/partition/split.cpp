#include "partition/split.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "ir/argument_view.h"
#include "partition/extract.h"

namespace nfx {
namespace {

struct NotACall {
  static constexpr std::string_view kCode = "not-a-call";
  std::string node;
  std::string message() const { return "`" + node + "` calls no graph of its module"; }
  std::string help() const { return "only a call_module node whose target is a graph is inlined"; }
};
NFX_DIAGNOSTIC(NotACall);

struct CallMismatch {
  static constexpr std::string_view kCode = "call-mismatch";
  std::string node, problem;
  std::string message() const { return "the call `" + node + "` cannot be inlined: " + problem; }
  std::string help() const {
    return "give the called graph its inputs in order, and use its result element by element";
  }
};
NFX_DIAGNOSTIC(CallMismatch);

bool in_graph_order(const Graph& graph, const std::vector<NodeId>& nodes) {
  return std::ranges::is_sorted(
      nodes, [&](NodeId a, NodeId b) { return graph.node(a).before(graph.node(b)); });
}

bool restore_order(Graph& graph, const NodeArrangement& arrangement) {
  std::vector<Node> order;
  for (const auto& entry : arrangement.entries) {
    if (const Node node = graph.find(entry.name)) order.push_back(node);
  }
  std::unordered_map<uint32_t, size_t> places;
  for (size_t i = 0; i < order.size(); ++i) places[order[i].id().value] = i;
  for (size_t i = 0; i < order.size(); ++i) {
    for (uint32_t k = 0; k < order[i].num_operands(); ++k) {
      const auto operand = places.find(order[i].operand(k).id().value);
      if (operand == places.end() || operand->second > i) return false;
    }
  }
  for (size_t i = order.size(); i-- > 1;) {
    if (order[i - 1].next() != order[i]) graph.move_before(order[i - 1], order[i]);
  }
  return true;
}

// In the order of `names`, then in graph order.
void restore_users(Graph& graph, Node node, const std::vector<std::string>& names) {
  std::vector<Node> users;
  for (const NodeId user : distinct_users(node)) users.push_back(graph.node(user));
  std::ranges::sort(users, [](Node a, Node b) { return a.before(b); });
  std::unordered_map<std::string_view, size_t> places;
  for (size_t i = 0; i < names.size(); ++i) places.emplace(names[i], i);
  const auto place = [&](Node user) {
    const auto found = places.find(user.name());
    return found == places.end() ? names.size() : found->second;
  };
  std::stable_sort(users.begin(), users.end(), [&](Node a, Node b) { return place(a) < place(b); });
  graph.order_users(node, users);
}

// Adds the call of a region and takes its result apart.
std::vector<Node> call_region(Graph& graph, const Region& region, std::span<const Node> inputs,
                              Node place) {
  Context& context = graph.context();
  std::vector<TypeId> types;
  for (const Node output : region.outputs) types.push_back(output.type_id());
  const std::vector<ArgId> holes(inputs.size(), context.hole());
  graph.set_insertion_point(place);
  const Node call =
      graph.add(NodeKind::kCallModule, region.name, context.call(holes), inputs, region.name,
                context.intern(Type{.kind = TypeKind::kTuple, .elements = types}));
  std::vector<Node> made;
  for (size_t i = 0; i < region.outputs.size(); ++i) {
    const ArgId index = context.integer(static_cast<int64_t>(i));
    made.push_back(graph.call("operator.getitem", {call, index}, types[i]));
    graph.set_name(made.back(), region.name + "_" + std::to_string(i));
    graph.inherit_meta(made.back(), region.outputs[i]);
  }
  graph.set_insertion_point({});
  return made;
}

std::string free_attribute(const Graph& graph, std::string name) {
  while (graph.attributes().contains(name)) name += "_";
  return name;
}

// One call while it is replaced by what it calls.
class Inlining {
 public:
  Inlining(Graph& graph, Node call, const Graph& called)
      : graph_(graph), call_(call), called_(called) {}

  Status run() {
    NFX_TRY(check());
    bind_inputs();
    take_attributes();
    // A node takes its name back from the getitem that stood for it.
    for (const auto& [element, index] : elements_) graph_.set_name(element, "inlined_element");
    graph_.set_insertion_point(call_);
    for (const Node node : called_.nodes()) copy(node);
    graph_.set_insertion_point({});
    for (const auto& [element, index] : elements_) {
      graph_.replace_all_uses(element, copies_.at(result(index).id().value));
      graph_.erase(element);
    }
    graph_.erase(call_);
    return success();
  }

 private:
  Status check() {
    const size_t inputs = called_.placeholders().size();
    const bool plain = call_.num_operands() == inputs && num_positional(call_) == inputs;
    if (!plain) return mismatch(std::to_string(inputs) + " inputs are expected");
    const Node output = called_.output();
    results_ = output ? positional(output, 0) : ArgumentView();
    if (!results_ || results_.kind() != ArgKind::kTuple || results_.size() != output.num_operands())
      return mismatch("the graph does not give a tuple of nodes");
    for (const NodeId id : distinct_users(call_)) {
      const Node user = graph_.node(id);
      const std::optional<int64_t> index = element_index(user);
      if (!index || *index < 0 || static_cast<size_t>(*index) >= results_.size())
        return mismatch("`" + std::string(user.name()) + "` uses the result as a whole");
      elements_.emplace_back(user, static_cast<size_t>(*index));
    }
    return success();
  }

  // What a user takes of the call, whose type may be unknown.
  std::optional<int64_t> element_index(Node user) const {
    const bool takes = user.kind() == NodeKind::kCallFunction &&
                       user.target().ends_with("operator.getitem") && user.num_operands() == 1 &&
                       num_positional(user) == 2 && positional(user, 0).node() == call_;
    return takes ? positional(user, 1).as_int() : std::nullopt;
  }

  Status mismatch(std::string problem) const {
    return diagnose(CallMismatch{std::string(call_.name()), std::move(problem)});
  }

  void bind_inputs() {
    uint32_t index = 0;
    for (const Node input : called_.placeholders()) {
      copies_[input.id().value] = call_.operand(index++);
    }
  }

  // What the called graph names moves along, under another name where its own is
  // taken by something else.
  void take_attributes() {
    for (const auto& [name, attribute] : called_.attributes()) {
      const auto known = graph_.attributes().find(name);
      const bool taken = known != graph_.attributes().end() && !same(known->second, attribute);
      const std::string free = taken ? free_attribute(graph_, name) : name;
      graph_.attributes().emplace(free, attribute);
      if (taken) renamed_.emplace(name, free);
    }
  }

  static bool same(const Attribute& a, const Attribute& b) {
    return a.object == b.object && a.subgraph == b.subgraph;
  }

  std::string_view renamed(std::string_view name) const {
    const auto found = renamed_.find(name);
    return found == renamed_.end() ? name : found->second;
  }

  ArgId renamed(ArgId id) {
    if (renamed_.empty()) return id;
    Context& context = graph_.context();
    Arg arg = context.arg(id);
    if (arg.kind == ArgKind::kGraph) arg.text = context.intern(renamed(context.text(arg.text)));
    std::vector<ArgId> children;
    for (const ArgId child : arg.children) children.push_back(renamed(child));
    arg.children = children;
    return context.intern(arg);
  }

  Node result(size_t index) const { return results_.child(index).node(); }

  void copy(Node node) {
    if (node.kind() == NodeKind::kPlaceholder || node.kind() == NodeKind::kOutput) return;
    std::vector<Node> operands;
    for (uint32_t i = 0; i < node.num_operands(); ++i) {
      operands.push_back(copies_.at(node.operand(i).id().value));
    }
    const bool by_path = node.kind() == NodeKind::kCallModule || node.kind() == NodeKind::kGetAttr;
    const std::string target(by_path ? renamed(node.target()) : node.target());
    const Node made = graph_.add(node.kind(), target, renamed(node.arguments()), operands,
                                 node.name(), node.type_id());
    graph_.set_target(made, target, node.target_object());
    const NodeMeta& meta = called_.meta(node);
    if (meta != NodeMeta()) graph_.set_meta(made, meta);
    copies_[node.id().value] = made;
  }

  Graph& graph_;
  const Node call_;
  const Graph& called_;
  ArgumentView results_;
  std::vector<std::pair<Node, size_t>> elements_;  // of the call's result
  std::unordered_map<uint32_t, Node> copies_;      // by NodeId of the called graph
  std::map<std::string, std::string, std::less<>> renamed_;
};

// The graph that a node calls; null if it calls something else.
std::shared_ptr<Graph> called_by(const Graph& graph, Node node) {
  if (node.kind() != NodeKind::kCallModule) return nullptr;
  const auto found = graph.attributes().find(node.target());
  return found == graph.attributes().end() ? nullptr : found->second.subgraph;
}

// Forgets those attributes that no node names.
void drop_unnamed(Graph& graph, std::set<std::string> names) {
  for (const Node node : graph.nodes()) {
    if (node.kind() == NodeKind::kCallModule || node.kind() == NodeKind::kGetAttr) {
      names.erase(std::string(node.target()));
    }
  }
  for (const std::string& name : names) graph.attributes().erase(name);
}

}  // namespace

NodeArrangement arrangement_of(const Graph& graph) {
  NodeArrangement made;
  made.entries.reserve(graph.size());
  for (const Node node : graph.nodes()) {
    auto& entry = made.entries.emplace_back();
    entry.name = node.name();
    const std::vector<NodeId> users = distinct_users(node);
    if (in_graph_order(graph, users)) continue;
    for (const NodeId user : users) entry.users.emplace_back(graph.node(user).name());
  }
  return made;
}

void rearrange(Graph& graph, const NodeArrangement& arrangement) {
  if (!restore_order(graph, arrangement)) return;
  for (const auto& entry : arrangement.entries) {
    const Node node = graph.find(entry.name);
    if (node && !node.has_one_use()) restore_users(graph, node, entry.users);
  }
}

NodeArrangement split(Graph& graph, const Partition& partition) {
  NodeArrangement arrangement = arrangement_of(graph);
  Partition named = partition;
  for (Region& region : named.regions) {
    region.name = free_attribute(graph, region.name);
    Attribute attribute;
    attribute.subgraph = extract(graph, region);
    graph.attributes().emplace(region.name, std::move(attribute));
  }
  outline(graph, named, std::vector<bool>(named.regions.size(), true),
          [&](size_t index, std::span<const Node> inputs, Node place) {
            return call_region(graph, named.regions[index], inputs, place);
          });
  return arrangement;
}

Status inline_call(Graph& graph, Node call) {
  const std::shared_ptr<Graph> called = called_by(graph, call);
  if (called == nullptr) return diagnose(NotACall{std::string(call.name())}, node_place(call));
  const std::string name(call.target());
  NFX_TRY(Inlining(graph, call, *called).run());
  drop_unnamed(graph, {name});
  return success();
}

Status inline_calls(Graph& graph, const NodeArrangement& arrangement) {
  std::set<std::string> names;
  for (Node node = graph.first(); node;) {
    const std::shared_ptr<Graph> called = called_by(graph, node);
    if (called == nullptr) {
      node = node.next();
      continue;
    }
    names.emplace(node.target());
    for (const auto& [name, attribute] : called->attributes()) names.insert(name);
    const Node before = node.prev();
    NFX_TRY(Inlining(graph, node, *called).run());
    node = before ? before.next() : graph.first();
  }
  drop_unnamed(graph, std::move(names));
  rearrange(graph, arrangement);
  return success();
}

}  // namespace nfx
