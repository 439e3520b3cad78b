// A node of a graph: a handle to be passed by value. A node is its value.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "ir/context.h"
#include "ir/ids.h"

namespace nfx {

class Graph;
struct NodeRecord;

enum class NodeKind : uint8_t {
  kPlaceholder,
  kGetAttr,
  kCallFunction,
  kCallMethod,
  kCallModule,
  kOutput
};

// One use of a value: operand `index` of `user`.
struct Use {
  NodeId user;
  uint32_t index;
};

class Node {
 public:
  Node() = default;
  Node(Graph* graph, NodeId id) : graph_(graph), id_(id) {}

  explicit operator bool() const { return static_cast<bool>(id_); }
  friend bool operator==(Node a, Node b) { return a.id_ == b.id_; }
  NodeId id() const { return id_; }
  Graph& graph() const { return *graph_; }

  NodeKind kind() const;
  std::string_view name() const;
  std::string_view target() const;  // op name, function name, method, attribute or module path
  OpaqueId target_object() const;   // the Python object of the target, if it came from Python
  const OpInfo* op() const;         // null if the target is no known op
  bool has(Trait trait) const { return op() != nullptr && op()->has(trait); }

  TypeId type_id() const;
  const Type& type() const;

  // Operands in the order of the holes.
  uint32_t num_operands() const;
  Node operand(uint32_t index) const;
  ArgId arguments() const;  // the kCall structure

  bool has_uses() const;
  uint32_t num_uses() const;  // counts; has_uses() and has_one_use() do not
  bool has_one_use() const;

  Node next() const;  // in graph order; none at the end
  Node prev() const;
  bool before(Node other) const;  // constant time

 private:
  const NodeRecord& record() const;
  Graph* graph_ = nullptr;
  NodeId id_;
};

// A node's result, or one element of a tuple result: (node, index).
struct NodeValue {
  Node node;
  int32_t index = -1;  // -1: the whole result
  friend bool operator==(const NodeValue&, const NodeValue&) = default;
};
// Sees through `operator.getitem` with a constant index.
NodeValue value_of(Node node);

}  // namespace nfx
