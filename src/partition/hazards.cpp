#include "partition/hazards.h"

#include <numeric>

#include "ir/argument_view.h"

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
  const OpInfo* op = node.op();
  return op != nullptr && op->schema != nullptr && op->schema->returns_alias();
}

// What a result may share memory with: the arguments of the result's alias sets,
// or the first operand where no schema tells more.
std::vector<Node> alias_sources(Node node) {
  std::vector<Node> sources;
  const OpInfo* op = node.op();
  if (op == nullptr || op->schema == nullptr) {
    if (node.num_operands() > 0) sources.push_back(node.operand(0));
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
  for (const Node node : graph.nodes()) {
    if (!may_share_memory(node)) continue;
    for (Node source : alias_sources(node)) {
      const uint32_t from = root(node).value;
      parent_[from] = root(source).value;
    }
  }
  for (uint32_t id = 0; id < parent_.size(); ++id) parent_[id] = root(NodeId{id}).value;
}

NodeId AliasSets::root(Node node) const { return root(node.id()); }

NodeId AliasSets::root(NodeId id) const {
  uint32_t at = id.value;
  while (parent_[at] != at) at = parent_[at];
  return NodeId{at};
}

std::vector<Node> written_operands(Node node) {
  std::vector<Node> written;
  const OpInfo* op = node.op();
  if (op == nullptr || op->schema == nullptr) {
    if (node.has(Trait::kMutates) && node.num_operands() > 0) written.push_back(node.operand(0));
    return written;
  }
  for (size_t i = 0; i < op->schema->args.size(); ++i) {
    if (op->schema->args[i].alias.write) append_operands(argument(node, i), written);
  }
  return written;
}

std::vector<std::pair<NodeId, NodeId>> hazards(const Graph& graph) {
  const AliasSets sets(graph);
  struct Memory {
    NodeId last_write;
    std::vector<NodeId> reads;  // since the last write
  };
  std::vector<Memory> memory(graph.id_limit());
  std::vector<std::pair<NodeId, NodeId>> order;
  auto add = [&](NodeId earlier, NodeId later) {
    if (earlier && earlier != later) order.emplace_back(earlier, later);
  };
  NodeId last_draw, last_effect;
  for (const Node node : graph.nodes()) {
    for (uint32_t i = 0; i < node.num_operands(); ++i) {
      Memory& read = memory[sets.root(node.operand(i)).value];
      add(read.last_write, node.id());
      read.reads.push_back(node.id());
    }
    for (Node operand : written_operands(node)) {
      Memory& written = memory[sets.root(operand).value];
      for (NodeId reader : written.reads) add(reader, node.id());
      written = {node.id(), {}};
    }
    if (node.has(Trait::kRandom)) {
      add(last_draw, node.id());
      last_draw = node.id();
    }
    if (node.has(Trait::kEffect)) {
      add(last_effect, node.id());
      last_effect = node.id();
    }
  }
  return order;
}

}  // namespace nfx
