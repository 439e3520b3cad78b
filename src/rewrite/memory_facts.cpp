#include "rewrite/memory_facts.h"

#include "ir/argument_view.h"

namespace nfx {
namespace {

bool holds_memory(Node node) {
  const TypeKind kind = node.type().kind;
  return kind != TypeKind::kScalar && kind != TypeKind::kNone;
}

bool is_projection(Node node) { return value_of(node).index >= 0; }

bool is_call(Node node) {
  return node.kind() != NodeKind::kPlaceholder && node.kind() != NodeKind::kGetAttr &&
         node.kind() != NodeKind::kOutput;
}

}  // namespace

MemoryFacts::MemoryFacts(const Graph& graph) {
  sets_.reserve(graph.id_limit());
  std::map<std::string_view, Node> attributes;
  for (const Node node : graph.nodes()) {
    added(node);
    if (node.kind() == NodeKind::kGetAttr) {
      const auto [first, is_new] = attributes.emplace(node.target(), node);
      if (!is_new) join(first->second, node);
    }
    if (node.kind() != NodeKind::kOutput) continue;
    for (uint32_t i = 0; i < node.num_operands(); ++i) {
      sets_[set_of(node.operand(i))].escapes = true;
      sets_[node.operand(i).id().value].returned = true;
    }
  }
}

// A node that nobody told of stands alone.
void MemoryFacts::reach(Node node) {
  while (sets_.size() <= node.id().value) {
    sets_.push_back({.parent = static_cast<uint32_t>(sets_.size())});
  }
}

uint32_t MemoryFacts::set_of(Node node) {
  uint32_t id = node.id().value;
  reach(node);
  while (sets_[id].parent != id) {
    sets_[id].parent = sets_[sets_[id].parent].parent;
    id = sets_[id].parent;
  }
  return id;
}

void MemoryFacts::join(Node a, Node b) {
  if (!holds_memory(a) || !holds_memory(b)) return;
  const uint32_t into = set_of(a), from = set_of(b);
  if (into == from) return;
  sets_[from].parent = into;
  sets_[into].written |= sets_[from].written;
  sets_[into].escapes |= sets_[from].escapes;
  sets_[into].external |= sets_[from].external;
}

void MemoryFacts::join_operands(Node node) {
  sets_[node.id().value].is_view = true;
  for (uint32_t i = 0; i < node.num_operands(); ++i) join(node.operand(i), node);
}

void MemoryFacts::may_do_anything(Node node) {
  join_operands(node);
  for (uint32_t i = 0; i < node.num_operands(); ++i) {
    if (holds_memory(node.operand(i))) sets_[set_of(node.operand(i))].written = true;
  }
}

void MemoryFacts::join_aliases(Node node, const Schema& schema) {
  if (!schema.writes() && !schema.returns_alias()) return;
  for (size_t i = 0; i < schema.args.size(); ++i) {
    const SchemaAlias& alias = schema.args[i].alias;
    if (!alias) continue;
    const ArgumentView given = argument(node, i);
    if (!given) continue;
    for (uint32_t hole = 0; hole < given.arg().holes; ++hole) {
      const Node operand = node.operand(given.first_hole() + hole);
      if (alias.write) sets_[set_of(operand)].written = true;
      if (schema.returns_alias()) join(operand, node);
    }
  }
  sets_[node.id().value].is_view = schema.returns_alias();
}

void MemoryFacts::added(Node node) {
  reach(node);
  Set& self = sets_[node.id().value];
  if (!is_call(node)) {
    self.external = node.kind() != NodeKind::kOutput;
    return;
  }
  const OpInfo* op = node.op();
  if (is_projection(node)) {
    join_operands(node);
  } else if (op == nullptr) {
    if (node.type().kind != TypeKind::kScalar) may_do_anything(node);
  } else if (op->schema == nullptr && op->has(Trait::kMutates)) {
    may_do_anything(node);
  } else {
    if (op->schema != nullptr) join_aliases(node, *op->schema);
    if (op->has(Trait::kView) || op->has(Trait::kMayAlias)) join_operands(node);
  }
}

bool MemoryFacts::may_replace(Node node, Node with) {
  if (!holds_memory(node)) return true;
  const Set& old = sets_[set_of(node)];
  const Set& other = sets_[set_of(with)];
  if (old.written || other.written) return false;
  const Set& self = sets_[node.id().value];
  const Set& target = sets_[with.id().value];
  const bool is_given = with.kind() == NodeKind::kPlaceholder || with.kind() == NodeKind::kGetAttr;
  if (&old == &other) return !self.returned || !(target.returned || is_given);
  // What leaves the graph keeps owning storage of exactly its size.
  return !old.escapes || !(other.external || other.escapes || target.is_view);
}

void MemoryFacts::replaced(Node node, Node with) {
  join(with, node);
  sets_[with.id().value].returned |= sets_[node.id().value].returned;
}

}  // namespace nfx
