#include "passes/cse.h"

#include <unordered_map>

#include "support/hash.h"

namespace nfx {
namespace {

bool is_mergeable(Node node) {
  if (node.kind() == NodeKind::kGetAttr) return true;
  if (node.has(Trait::kRandom)) return false;
  return node.has(Trait::kPure) || value_of(node).index >= 0;
}

bool same(Node a, Node b) {
  if (a.kind() != b.kind() || a.target() != b.target() || a.arguments() != b.arguments()) return false;
  if (a.type_id() != b.type_id() || a.num_operands() != b.num_operands()) return false;
  for (uint32_t i = 0; i < a.num_operands(); ++i) {
    if (a.operand(i) != b.operand(i)) return false;
  }
  return true;
}

uint64_t hash_of(Node node) {
  HashMixer hash;
  hash.add(node.arguments().value).add(hash_text(node.target()));
  for (uint32_t i = 0; i < node.num_operands(); ++i) hash.add(node.operand(i).id().value);
  return hash.value();
}

}  // namespace

Changed cse(Graph& graph) {
  Changed changed = Changed::kNo;
  std::unordered_multimap<uint64_t, Node> seen;
  for (Node node : graph.nodes()) {
    if (node.has(Trait::kMutates) || node.has(Trait::kEffect)) seen.clear();
    if (!is_mergeable(node)) continue;
    const uint64_t hash = hash_of(node);
    const auto [begin, end] = seen.equal_range(hash);
    auto twin = begin;
    while (twin != end && !same(twin->second, node)) ++twin;
    if (twin == end) {
      seen.emplace(hash, node);
      continue;
    }
    graph.replace_all_uses(node, twin->second);
    graph.erase(node);
    changed = Changed::kYes;
  }
  return changed;
}

NFX_PASS(cse, "compute equal things once");

}  // namespace nfx
