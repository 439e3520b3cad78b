#include "ir/node_table.h"

#include <cassert>

#include "ir/graph.h"

namespace nfx {

NodeId NodeTable::append_record(NodeId before) {
  const NodeId id{static_cast<uint32_t>(records.size())};
  records.emplace_back();
  link_before(id, before);
  return id;
}

void NodeTable::link_before(NodeId node, NodeId before) {
  const NodeId prev = before ? records[before.value].prev : last;
  const uint64_t label = label_between(prev, before);
  NodeRecord& record = records[node.value];
  record.prev = prev;
  record.next = before;
  record.order = label;
  (prev ? records[prev.value].next : first) = node;
  (before ? records[before.value].prev : last) = node;
  ++live;
}

// Keeps the `next` of the node, for iterations that stand on it.
void NodeTable::unlink(NodeId node) {
  const NodeRecord& record = records[node.value];
  (record.prev ? records[record.prev.value].next : first) = record.next;
  (record.next ? records[record.next.value].prev : last) = record.prev;
  --live;
}

void NodeTable::assign_operands(NodeId node, std::span<const NodeId> values) {
  release_operands(node);
  NodeRecord& record = records[node.value];
  const uint32_t count = static_cast<uint32_t>(values.size());
  if (count > record.num_operands) {
    record.first_operand = static_cast<uint32_t>(slots.size());
    slots.resize(slots.size() + count);
  }
  record.num_operands = count;
  for (uint32_t i = 0; i < count; ++i) {
    OperandSlot& slot = slots[record.first_operand + i];
    slot.value = values[i];
    slot.user = node;
    append_use(record.first_operand + i);
  }
}

void NodeTable::release_operands(NodeId node) {
  const NodeRecord& record = records[node.value];
  for (uint32_t i = 0; i < record.num_operands; ++i) {
    const uint32_t slot = record.first_operand + i;
    if (slots[slot].value) remove_use(slot);
    slots[slot].value = {};
  }
}

void NodeTable::append_use(uint32_t slot) {
  OperandSlot& use = slots[slot];
  NodeRecord& value = records[use.value.value];
  use.prev_use = value.last_use;
  use.next_use = kNoSlot;
  (value.last_use != kNoSlot ? slots[value.last_use].next_use : value.first_use) = slot;
  value.last_use = slot;
}

void NodeTable::remove_use(uint32_t slot) {
  OperandSlot& use = slots[slot];
  NodeRecord& value = records[use.value.value];
  (use.prev_use != kNoSlot ? slots[use.prev_use].next_use : value.first_use) = use.next_use;
  (use.next_use != kNoSlot ? slots[use.next_use].prev_use : value.last_use) = use.prev_use;
  use.prev_use = use.next_use = kNoSlot;
}

void NodeIterator::look_ahead() {
  if (id_) next_ = graph_->table().records[id_.value].next;
}

NodeIterator& NodeIterator::operator++() {
  const auto& records = graph_->table().records;
  while (next_ && records[next_.value].erased) next_ = records[next_.value].next;
  id_ = next_;
  look_ahead();
  return *this;
}

}  // namespace nfx
