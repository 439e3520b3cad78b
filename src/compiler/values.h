// The values of a graph, numbered: one a node, or one an element of a tuple
// result; an element that is a tuple itself counts by its own elements. A
// `getitem` is no value of its own.
#pragma once
#include <cstdint>
#include <vector>

#include "ir/graph.h"

namespace nfx {

using ValueId = uint32_t;
inline constexpr ValueId kNoValue = UINT32_MAX;

class ValueTable {
 public:
  explicit ValueTable(const Graph& graph);

  size_t size() const { return types_.size(); }
  // The value of a node whose result is no tuple, projections seen through.
  ValueId of(Node node) const;
  // One of the `count` of a node that makes a tuple; -1: as above.
  ValueId of(Node node, int32_t result) const;
  uint32_t count(Node node) const { return entries_[node.id().value].count; }
  bool is_tuple(Node node) const { return entries_[node.id().value].tuple; }

  TypeId type_id(ValueId value) const { return types_[value]; }
  const Type& type(ValueId value) const { return context_->type(types_[value]); }
  Node producer(ValueId value) const { return graph_->node(producers_[value]); }

 private:
  struct Entry {
    ValueId first = kNoValue;  // of a tuple that is taken from a tuple too
    uint32_t count = 0;
    bool tuple = false;
  };
  bool is_tuple(TypeId type) const;
  void add_values(Node producer, TypeId type);
  uint32_t count_values(TypeId type) const;
  ValueId first_of(const NodeValue& element) const;

  const Graph* graph_;
  const Context* context_;
  std::vector<Entry> entries_;  // by NodeId
  std::vector<TypeId> types_;
  std::vector<NodeId> producers_;
};

}  // namespace nfx
