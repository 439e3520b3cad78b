#include "partition/hazards.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "ir/argument_view.h"
#include "partition/call_facts.h"

namespace nfx {
namespace {

// Operands of one argument, in place: a list of tensors has several.
void append_operands(ArgumentView argument, std::vector<Node>& operands) {
  if (!argument) return;
  if (argument.is_node()) return operands.push_back(argument.node());
  for (size_t i = 0; i < argument.size(); ++i) append_operands(argument.child(i), operands);
}

bool may_share_memory(Node node) {
  if (value_of(node).index >= 0 || node.has(Trait::kView) || node.has(Trait::kMayAlias))
    return true;
  if (is_unknown_call(node)) return true;
  const OpInfo* op = node.op();
  return op != nullptr && op->schema != nullptr && op->schema->returns_alias();
}

// What a result may share memory with: the arguments of the result's alias sets,
// or the first operand where no schema tells more, or any of an unknown call.
std::vector<Node> alias_sources(Node node) {
  std::vector<Node> sources;
  const OpInfo* op = node.op();
  if (value_of(node).index >= 0) return {node.operand(0)};
  if (op == nullptr || op->schema == nullptr) {
    for (uint32_t i = 0; i < node.num_operands(); ++i) sources.push_back(node.operand(i));
    return sources;
  }
  for (size_t i = 0; i < op->schema->args.size(); ++i) {
    if (op->schema->args[i].alias) append_operands(argument(node, i), sources);
  }
  if (sources.empty() && node.num_operands() > 0) sources.push_back(node.operand(0));
  return sources;
}

}  // namespace

AliasSets::AliasSets(const Graph& graph) : parent_(graph.id_limit()) {
  std::iota(parent_.begin(), parent_.end(), 0u);
  std::unordered_map<std::string_view, NodeId> attributes;
  for (const Node node : graph.nodes()) {
    if (node.kind() == NodeKind::kGetAttr) {  // two of one name are one tensor
      join(node.id(), attributes.try_emplace(node.target(), node.id()).first->second);
    }
    if (!may_share_memory(node)) continue;
    for (Node source : alias_sources(node)) join(node.id(), source.id());
  }
  for (uint32_t id = 0; id < parent_.size(); ++id) parent_[id] = find(id);
}

uint32_t AliasSets::find(uint32_t id) {
  while (parent_[id] != id) id = parent_[id] = parent_[parent_[id]];
  return id;
}

// The smaller number stays, so that the result depends on the graph alone.
void AliasSets::join(NodeId a, NodeId b) {
  const uint32_t x = find(a.value), y = find(b.value);
  parent_[std::max(x, y)] = std::min(x, y);
}

std::vector<Node> written_operands(Node node) {
  if (is_unknown_call(node)) return operands_written_by_name(node);
  std::vector<Node> written;
  const OpInfo* op = node.op();
  if (op == nullptr || op->schema == nullptr) return written;
  for (size_t i = 0; i < op->schema->args.size(); ++i) {
    if (op->schema->args[i].alias.write) append_operands(argument(node, i), written);
  }
  return written;
}

std::vector<bool> runs_for_effect(const Graph& graph) {
  std::vector<bool> effect(graph.id_limit(), false);
  for (Node node = graph.last(); node; node = node.prev()) {
    if (!is_call(node) || node.op() != nullptr || computes_only(node)) continue;
    bool unused = true;
    for (const Use use : graph.uses(node)) unused = unused && effect[use.user.value];
    effect[node.id().value] = unused;
  }
  return effect;
}

namespace {

// Walks a graph in order and collects what must come before what.
class HazardFinder {
 public:
  explicit HazardFinder(const Graph& graph)
      : sets_(graph), barriers_(runs_for_effect(graph)), memory_of_(graph.id_limit(), kReadOnly) {
    for (const Node node : graph.nodes()) {
      for (Node operand : written_operands(node)) {
        int32_t& index = memory_of_[sets_.root(operand).value];
        if (index != kReadOnly) continue;
        index = static_cast<int32_t>(memories_.size());
        memories_.emplace_back();
      }
    }
  }

  void visit(Node node) {
    if (barriers_[node.id().value]) {
      for (NodeId earlier : since_barrier_) add(earlier, node.id());
      since_barrier_.clear();
      last_barrier_ = node.id();
    } else {
      add(last_barrier_, node.id());
      since_barrier_.push_back(node.id());
    }
    visit_memory(node);
    if (node.has(Trait::kRandom)) follow(last_draw_, node);
    if (node.has(Trait::kEffect)) follow(last_effect_, node);
  }
  std::vector<std::pair<NodeId, NodeId>> take() { return std::move(order_); }

 private:
  static constexpr int32_t kReadOnly = -1;
  struct Memory {
    NodeId last_write;
    std::vector<NodeId> reads;  // since the last write
  };

  void visit_memory(Node node) {
    if (value_of(node).index >= 0) return;  // taking an element of a tuple reads no memory
    for (uint32_t i = 0; i < node.num_operands(); ++i) {
      const int32_t index = memory_of_[sets_.root(node.operand(i)).value];
      if (index == kReadOnly) continue;
      Memory& read = memories_[static_cast<size_t>(index)];
      add(read.last_write, node.id());
      read.reads.push_back(node.id());
    }
    for (Node operand : written_operands(node)) {
      const int32_t index = memory_of_[sets_.root(operand).value];
      Memory& written = memories_[static_cast<size_t>(index)];
      for (NodeId reader : written.reads) add(reader, node.id());
      written = {node.id(), {}};
    }
  }
  void follow(NodeId& last, Node node) {
    add(last, node.id());
    last = node.id();
  }
  void add(NodeId earlier, NodeId later) {
    if (earlier && earlier != later) order_.emplace_back(earlier, later);
  }

  AliasSets sets_;
  std::vector<bool> barriers_;
  std::vector<int32_t> memory_of_;  // by NodeId of a root: index into memories_
  std::vector<Memory> memories_;    // those that something writes to
  std::vector<NodeId> since_barrier_;
  NodeId last_barrier_, last_draw_, last_effect_;
  std::vector<std::pair<NodeId, NodeId>> order_;
};

}  // namespace

std::vector<std::pair<NodeId, NodeId>> hazards(const Graph& graph) {
  HazardFinder finder(graph);
  for (const Node node : graph.nodes()) finder.visit(node);
  return finder.take();
}

}  // namespace nfx
