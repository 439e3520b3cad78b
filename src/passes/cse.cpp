#include "passes/cse.h"

#include <unordered_map>

#include "rewrite/effects.h"
#include "rewrite/memory_facts.h"
#include "support/hash.h"

namespace nfx {
namespace {

bool reads_written_memory(Node node, MemoryFacts& memory) {
  if (memory.is_written(node)) return true;
  for (uint32_t i = 0; i < node.num_operands(); ++i) {
    if (memory.is_written(node.operand(i))) return true;
  }
  return false;
}

bool is_symbolic_number(Node node) {
  return node.type().kind == TypeKind::kScalar && node.type().expr;
}

bool same(Node a, Node b) {
  if (a.type_id() != b.type_id()) return false;
  if (is_symbolic_number(a)) return true;
  if (a.kind() != b.kind() || a.target() != b.target() || a.arguments() != b.arguments()) {
    return false;
  }
  for (uint32_t i = 0; i < a.num_operands(); ++i) {
    if (a.operand(i) != b.operand(i)) return false;
  }
  return true;
}

uint64_t hash_of(Node node) {
  HashMixer hash;
  hash.add(node.type_id().value);
  if (is_symbolic_number(node)) return hash.value();
  hash.add(node.arguments().value).add(hash_text(node.target()));
  for (uint32_t i = 0; i < node.num_operands(); ++i) hash.add(node.operand(i).id().value);
  return hash.value();
}

}  // namespace

Changed cse(Graph& graph) {
  Changed changed = Changed::kNo;
  MemoryFacts memory(graph);
  std::unordered_multimap<uint64_t, Node> seen;
  for (const Node node : graph.nodes()) {
    const bool is_number = is_symbolic_number(node);
    if (!is_number && (!is_pure(node) || reads_written_memory(node, memory))) continue;
    const uint64_t hash = hash_of(node);
    auto [twin, end] = seen.equal_range(hash);
    while (twin != end && !same(twin->second, node)) ++twin;
    if (twin == end) {
      seen.emplace(hash, node);
      continue;
    }
    if (!node.has_uses() || !memory.may_replace(node, twin->second)) continue;
    memory.replaced(node, twin->second);
    graph.replace_all_uses(node, twin->second);
    if (is_pure(node)) graph.erase(node);
    changed = Changed::kYes;
  }
  return changed;
}

NFX_PASS(cse, "compute equal things once");

}  // namespace nfx
