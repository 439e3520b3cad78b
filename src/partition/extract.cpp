#include "partition/extract.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <queue>
#include <unordered_map>

#include "partition/hazards.h"

namespace nfx {
namespace {

// A placeholder comes from the node whose value it stands for; a node that moved
// is what it was.
void copy_meta(const Graph& from, Node node, Graph& to, Node made) {
  NodeMeta meta = from.meta(node);
  if (made.kind() == NodeKind::kPlaceholder) meta.derived = static_cast<bool>(meta.object);
  if (meta != NodeMeta()) to.set_meta(made, meta);
}

void copy_attribute(const Graph& from, std::string_view name, Graph& to) {
  const auto known = from.attributes().find(name);
  if (known != from.attributes().end()) to.attributes().insert(*known);
}

void copy_subgraphs(const Graph& from, ArgId id, Graph& to) {
  const Arg& arg = from.context().arg(id);
  if (arg.kind == ArgKind::kGraph) copy_attribute(from, from.context().text(arg.text), to);
  for (const ArgId child : arg.children) copy_subgraphs(from, child, to);
}

// What a node names of its module.
void copy_attributes(const Graph& from, Node node, Graph& to) {
  if (from.attributes().empty()) return;
  if (node.kind() == NodeKind::kGetAttr || node.kind() == NodeKind::kCallModule) {
    copy_attribute(from, node.target(), to);
  }
  copy_subgraphs(from, node.arguments(), to);
}

// Units are single nodes and whole regions. Each has a number: the place of its
// first node in the old order.
class UnitOrder {
 public:
  UnitOrder(const Graph& graph, const Partition& partition, const std::vector<bool>& wanted)
      : graph_(graph), unit_of_(graph.id_limit()) {
    std::vector<int> unit_of_region(partition.regions.size(), -1);
    for (const Node node : graph.nodes()) {
      const int region = partition.region_of[node.id().value];
      int unit = static_cast<int>(units_.size());
      if (region >= 0 && wanted[static_cast<size_t>(region)]) {
        int& known = unit_of_region[static_cast<size_t>(region)];
        if (known < 0) known = unit;
        unit = known;
      }
      if (unit == static_cast<int>(units_.size())) units_.emplace_back();
      units_[static_cast<size_t>(unit)].push_back(node);
      unit_of_[node.id().value] = static_cast<uint32_t>(unit);
    }
    users_.resize(units_.size());
    waiting_for_.resize(units_.size());
    for (const Node node : graph.nodes()) {
      for (uint32_t i = 0; i < node.num_operands(); ++i) connect(node.operand(i).id(), node.id());
    }
    for (const auto& [earlier, later] : hazards(graph)) connect(earlier, later);
  }

  // All nodes; of the units that may come next, always the one that came first.
  std::vector<Node> nodes() {
    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
    for (uint32_t unit = 0; unit < units_.size(); ++unit) {
      if (waiting_for_[unit] == 0) ready.push(unit);
    }
    std::vector<Node> order;
    while (!ready.empty()) {
      const uint32_t unit = ready.top();
      ready.pop();
      order.insert(order.end(), units_[unit].begin(), units_[unit].end());
      for (uint32_t user : users_[unit]) {
        if (--waiting_for_[user] == 0) ready.push(user);
      }
    }
    assert(order.size() == graph_.size() && "regions of a partition have no cycle");
    return order;
  }

 private:
  void connect(NodeId earlier, NodeId later) {
    const uint32_t from = unit_of_[earlier.value], to = unit_of_[later.value];
    if (from == to) return;
    users_[from].push_back(to);
    ++waiting_for_[to];
  }

  const Graph& graph_;
  std::vector<uint32_t> unit_of_;  // by NodeId
  std::vector<std::vector<Node>> units_;
  std::vector<std::vector<uint32_t>> users_;
  std::vector<uint32_t> waiting_for_;
};

void reorder(Graph& graph, const std::vector<Node>& order) {
  const Node output = graph.output();
  assert(output && "a graph that is outlined has an output");
  for (Node node : order) {
    if (node.kind() != NodeKind::kPlaceholder && node != output) graph.move_before(node, output);
  }
}

}  // namespace

std::unique_ptr<Graph> extract(const Graph& graph, const Region& region) {
  auto made = std::make_unique<Graph>(graph.context_ptr(), region.name);
  Context& context = graph.context();
  std::unordered_map<uint32_t, Node> copies;
  for (Node input : region.inputs) {
    const Node copy = made->add(NodeKind::kPlaceholder, input.name(), context.call({}), {},
                                input.name(), input.type_id());
    copy_meta(graph, input, *made, copy);
    copies[input.id().value] = copy;
  }
  std::vector<Node> operands;
  for (Node node : region.nodes) {
    operands.clear();
    for (uint32_t i = 0; i < node.num_operands(); ++i)
      operands.push_back(copies.at(node.operand(i).id().value));
    const Node copy = made->add(node.kind(), node.target(), node.arguments(), operands, node.name(),
                                node.type_id());
    made->set_target(copy, node.target(), node.target_object());
    copy_meta(graph, node, *made, copy);
    copy_attributes(graph, node, *made);
    copies[node.id().value] = copy;
  }
  operands.clear();
  for (Node output : region.outputs) operands.push_back(copies.at(output.id().value));
  const std::vector<ArgId> holes(operands.size(), context.hole());
  const ArgId results[] = {context.sequence(ArgKind::kTuple, holes)};
  made->add(NodeKind::kOutput, "output", context.call(results), operands, "output");
  return made;
}

void outline(Graph& graph, const Partition& partition, const std::vector<bool>& wanted,
             const RegionReplacement& replace) {
  reorder(graph, UnitOrder(graph, partition, wanted).nodes());
  std::unordered_map<uint32_t, Node> stands_for;
  std::vector<Node> inputs;
  for (size_t r = 0; r < partition.regions.size(); ++r) {
    if (!wanted[r]) continue;
    const Region& region = partition.regions[r];
    inputs.clear();
    for (Node input : region.inputs) {
      const auto known = stands_for.find(input.id().value);
      inputs.push_back(known != stands_for.end() ? known->second : input);
    }
    const std::vector<Node> made = replace(r, inputs, region.nodes.front());
    assert(made.size() == region.outputs.size() && "one node for each output");
    for (size_t i = 0; i < made.size(); ++i) {
      graph.replace_all_uses(region.outputs[i], made[i]);
      stands_for[region.outputs[i].id().value] = made[i];
    }
    for (size_t i = region.nodes.size(); i-- > 0;) graph.erase(region.nodes[i]);
  }
}

}  // namespace nfx
