#include "partition/functional.h"

#include <unordered_set>

#include "partition/hazards.h"

namespace nfx {
namespace {

// A tuple and what is taken from it are claimed together.
void drop(const Graph& graph, Node node, const char* reason, std::vector<int>& claims,
          Refusals& refusals) {
  const Node producer = value_of(node).node;
  if (claims[producer.id().value] == kUnclaimed) return;
  claims[producer.id().value] = kUnclaimed;
  refusals[producer.id().value].emplace_back(reason);
  for (const Use use : graph.uses(producer)) {
    const Node user = graph.node(use.user);
    if (value_of(user).index >= 0 && value_of(user).node == producer)
      claims[user.id().value] = kUnclaimed;
  }
}

const char* reason_to_drop(Node node) {
  if (value_of(node).index >= 0) return nullptr;
  if (node.op() == nullptr) return "region: the effects of its target are not known";
  if (node.has(Trait::kMutates)) return "region: it writes in place";
  if (node.has(Trait::kRandom)) return "region: it draws random numbers";
  if (node.has(Trait::kEffect)) return "region: it has effects";
  return nullptr;
}

// An element of a tuple of new tensors: no schema tells their memories apart.
bool is_fresh_element(Node node) {
  const NodeValue value = value_of(node);
  if (value.index < 0) return false;
  const OpInfo* op = value.node.op();
  return op != nullptr && op->schema != nullptr && !op->schema->returns_alias();
}

}  // namespace

void drop_unsafe_claims(const Graph& graph, std::vector<int>& claims, Refusals& refusals) {
  const AliasSets sets(graph);
  std::vector<bool> written(graph.id_limit(), false);
  for (const Node node : graph.nodes()) {
    for (Node operand : written_operands(node)) written[sets.root(operand).value] = true;
  }
  for (const Node node : graph.nodes()) {
    if (claims[node.id().value] == kUnclaimed) continue;
    const char* reason = reason_to_drop(node);
    if (reason == nullptr && written[sets.root(node).value])
      reason = "region: its memory is written in place";
    if (reason != nullptr) drop(graph, node, reason, claims, refusals);
  }
}

bool drop_shared_outputs(const Graph& graph, const Partition& partition, std::vector<int>& claims,
                         Refusals& refusals) {
  const AliasSets sets(graph);
  bool dropped = false;
  for (const Region& region : partition.regions) {
    std::unordered_set<uint32_t> shared, seen;
    for (Node input : region.inputs) shared.insert(sets.root(input).value);
    for (Node output : region.outputs) {
      const uint32_t root = sets.root(output).value;
      const bool fresh = seen.insert(root).second || is_fresh_element(output);
      if (fresh && !shared.contains(root)) continue;
      drop(graph, output, "region: its result shares memory beyond the region", claims, refusals);
      dropped = true;
    }
  }
  return dropped;
}

}  // namespace nfx
