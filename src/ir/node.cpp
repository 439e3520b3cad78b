#include "ir/node.h"

#include <cassert>

#include "ir/argument_view.h"
#include "ir/graph.h"

namespace nfx {

const NodeRecord& Node::record() const { return graph_->table().records[id_.value]; }

NodeKind Node::kind() const { return record().kind; }
std::string_view Node::name() const { return graph_->context().text(record().name); }
std::string_view Node::target() const { return graph_->context().text(record().target); }
OpaqueId Node::target_object() const { return record().target_object; }

const OpInfo* Node::op() const {
  const NodeRecord& self = record();
  return self.kind == NodeKind::kCallFunction ? graph_->context().op(self.target) : nullptr;
}

TypeId Node::type_id() const { return record().type; }
const Type& Node::type() const { return graph_->context().type(record().type); }

uint32_t Node::num_operands() const { return record().num_operands; }

Node Node::operand(uint32_t index) const {
  assert(index < num_operands() && "no such operand");
  return {graph_, graph_->table().slots[record().first_operand + index].value};
}

ArgId Node::arguments() const { return record().arguments; }

bool Node::has_uses() const { return record().first_use != kNoSlot; }
bool Node::has_one_use() const { return has_uses() && record().first_use == record().last_use; }

uint32_t Node::num_uses() const {
  const auto& slots = graph_->table().slots;
  uint32_t count = 0;
  for (uint32_t slot = record().first_use; slot != kNoSlot; slot = slots[slot].next_use) ++count;
  return count;
}

Node Node::next() const { return {graph_, record().next}; }
Node Node::prev() const { return {graph_, record().prev}; }
bool Node::before(Node other) const { return record().order < other.record().order; }

namespace {

bool is_getitem(std::string_view target) {
  return target == "operator.getitem" || target == "_operator.getitem";
}

// How many values a node gives, if it gives several; nothing for one value, or
// if it is not known: `x[0]` of a tensor is a getitem too.
std::optional<int64_t> num_results(Node node) {
  const Type& type = node.type();
  if (type.kind == TypeKind::kTuple || type.kind == TypeKind::kList) {
    return static_cast<int64_t>(type.elements.size());
  }
  if (type.kind != TypeKind::kUnknown) return std::nullopt;
  const OpInfo* op = node.op();
  if (op == nullptr || op->schema == nullptr || op->schema->results.size() < 2) return std::nullopt;
  return static_cast<int64_t>(op->schema->results.size());
}

}  // namespace

NodeValue value_of(Node node) {
  if (node.kind() != NodeKind::kCallFunction || !is_getitem(node.target())) return {node};
  if (num_positional(node) != 2 || !positional(node, 0).is_node()) return {node};
  const Node source = positional(node, 0).node();
  const std::optional<int64_t> index = positional(node, 1).as_int();
  const std::optional<int64_t> count = num_results(source);
  if (!index || !count || *index < -*count || *index >= *count) return {node};
  return {source, static_cast<int32_t>(*index < 0 ? *index + *count : *index)};
}

}  // namespace nfx
