// The storage of a graph: node records, operand slots that are also the use
// lists, and the order of nodes.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "ir/node.h"

namespace nfx {

inline constexpr uint32_t kNoSlot = 0;

struct NodeRecord {
  NodeKind kind = NodeKind::kCallFunction;
  bool erased = false;
  StringId name;
  StringId target;
  OpaqueId target_object;
  ArgId arguments;
  TypeId type;
  MetaId meta;
  uint32_t first_operand = 0;  // slots first_operand .. +num_operands-1
  uint32_t num_operands = 0;
  uint32_t first_use = kNoSlot;
  uint32_t last_use = kNoSlot;
  NodeId prev, next;   // an erased record keeps its `next` for running iterations
  uint64_t order = 0;  // increases along the list; gaps are split on insertion
};

// One operand of one node, linked into the use list of its value.
struct OperandSlot {
  NodeId value;
  NodeId user;
  uint32_t prev_use = kNoSlot;
  uint32_t next_use = kNoSlot;
};

struct NodeTable {
  std::vector<NodeRecord> records{1};  // [0] is "none"
  std::vector<OperandSlot> slots{1};   // [0] is "none"
  NodeId first, last;
  size_t live = 0;

  // Implemented in node_table.cpp; Graph's edits are made of these.
  NodeId append_record(NodeId before);  // links a fresh record into the order
  void unlink(NodeId node);
  void link_before(NodeId node, NodeId before);  // before none: at the end
  void assign_operands(NodeId node, std::span<const NodeId> values);
  void release_operands(NodeId node);
  void append_use(uint32_t slot);
  void remove_use(uint32_t slot);

 private:
  uint64_t label_between(NodeId prev, NodeId next);  // node_order.cpp
};

// Walks nodes in order. Erasing any node and moving the current one is fine; a
// node put directly behind the current one is not visited.
class NodeIterator {
 public:
  NodeIterator(Graph* graph, NodeId id) : graph_(graph), id_(id) { look_ahead(); }
  Node operator*() const { return {graph_, id_}; }
  NodeIterator& operator++();
  friend bool operator==(NodeIterator a, NodeIterator b) { return a.id_ == b.id_; }

 private:
  void look_ahead();
  Graph* graph_;
  NodeId id_;
  NodeId next_;
};

class NodeRange {
 public:
  NodeRange(Graph* graph, NodeId first) : graph_(graph), first_(first) {}
  NodeIterator begin() const { return {graph_, first_}; }
  NodeIterator end() const { return {graph_, NodeId{}}; }

 private:
  Graph* graph_;
  NodeId first_;
};

// Walks the uses of a value. Giving the current use another value is fine.
class UseIterator {
 public:
  UseIterator(const NodeTable* table, uint32_t slot)
      : table_(table), slot_(slot), next_(table->slots[slot].next_use) {}
  Use operator*() const {
    const OperandSlot& slot = table_->slots[slot_];
    return {slot.user, slot_ - table_->records[slot.user.value].first_operand};
  }
  UseIterator& operator++() {
    slot_ = next_;
    next_ = table_->slots[slot_].next_use;
    return *this;
  }
  friend bool operator==(UseIterator a, UseIterator b) { return a.slot_ == b.slot_; }

 private:
  const NodeTable* table_;
  uint32_t slot_;
  uint32_t next_;
};

class UseRange {
 public:
  UseRange(const NodeTable* table, uint32_t first) : table_(table), first_(first) {}
  UseIterator begin() const { return {table_, first_}; }
  UseIterator end() const { return {table_, kNoSlot}; }

 private:
  const NodeTable* table_;
  uint32_t first_;
};

}  // namespace nfx
