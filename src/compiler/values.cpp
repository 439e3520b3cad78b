#include "compiler/values.h"

namespace nfx {

ValueTable::ValueTable(const Graph& graph)
    : graph_(&graph), context_(&graph.context()), entries_(graph.id_limit()) {
  for (const Node node : graph.nodes()) {
    Entry& entry = entries_[node.id().value];
    if (const NodeValue value = value_of(node); value.index >= 0) {
      if (is_tuple(value.node.type().elements[static_cast<size_t>(value.index)])) {
        entry.first = first_of(value);
      }
      continue;
    }
    entry.first = static_cast<ValueId>(types_.size());
    entry.tuple = is_tuple(node.type_id());
    add_values(node, node.type_id());
    entry.count = static_cast<uint32_t>(types_.size()) - entry.first;
  }
}

bool ValueTable::is_tuple(TypeId type) const {
  const TypeKind kind = context_->type(type).kind;
  return kind == TypeKind::kTuple || kind == TypeKind::kList;
}

void ValueTable::add_values(Node producer, TypeId type) {
  if (is_tuple(type)) {
    for (const TypeId element : context_->type(type).elements) add_values(producer, element);
    return;
  }
  types_.push_back(type);
  producers_.push_back(producer.id());
}

uint32_t ValueTable::count_values(TypeId type) const {
  if (!is_tuple(type)) return 1;
  uint32_t count = 0;
  for (const TypeId element : context_->type(type).elements) count += count_values(element);
  return count;
}

ValueId ValueTable::first_of(const NodeValue& element) const {
  ValueId first = entries_[element.node.id().value].first;
  const auto elements = element.node.type().elements;
  for (int32_t i = 0; i < element.index; ++i) {
    first += count_values(elements[static_cast<size_t>(i)]);
  }
  return first;
}

ValueId ValueTable::of(Node node) const { return of(node, -1); }

ValueId ValueTable::of(Node node, int32_t result) const {
  const Entry& entry = entries_[node.id().value];
  if (result >= 0) {
    const bool exists = static_cast<uint32_t>(result) < entry.count;
    return exists ? entry.first + static_cast<uint32_t>(result) : kNoValue;
  }
  const NodeValue value = value_of(node);
  if (value.index < 0) return entry.tuple ? kNoValue : entry.first;
  const bool whole = is_tuple(value.node.type().elements[static_cast<size_t>(value.index)]);
  return whole ? kNoValue : first_of(value);
}

}  // namespace nfx
