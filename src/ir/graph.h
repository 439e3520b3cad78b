// A graph of nodes in order. Nodes are 32-bit ids; order, operands and uses are
// known both ways, and an edit costs in proportion to the uses that it touches.
// One writer at a time; any number of readers when const.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/node.h"
#include "ir/node_table.h"
#include "support/result.h"

namespace nfx {

class Graph;

// What get_attr and call_module nodes name: a Python object, or a subgraph.
struct Attribute {
  OpaqueId object;
  std::shared_ptr<Graph> subgraph;
};

// Where a node comes from. Nodes made by an edit point to the record of the
// node they replace, so that source line and module path survive.
struct NodeMeta {
  OpaqueId object;       // Python: the node's `meta` dict, read lazily
  bool derived = false;  // made natively: `object` belongs to the node it replaces
  StringId source;       // "model.py:41 in Filter.forward", if known natively
  StringId module_path;
  friend bool operator==(const NodeMeta&, const NodeMeta&) = default;
};

class Graph {
 public:
  explicit Graph(std::shared_ptr<Context> context, std::string_view name = "main");
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  std::unique_ptr<Graph> clone() const;  // same Context; ids compacted, order and names kept

  Context& context() const { return *context_; }
  const std::shared_ptr<Context>& context_ptr() const { return context_; }
  const std::string& name() const { return name_; }

  // ---- reading
  NodeRange nodes() const;  // in order; erasing the current node is fine while iterating
  Node first() const;
  Node last() const;
  Node node(NodeId id) const { return {const_cast<Graph*>(this), id}; }
  size_t size() const { return table_.live; }
  size_t id_limit() const { return table_.records.size(); }  // all ids are below
  Node find(std::string_view name);                          // none if no node has that name
  Node find(StringId name);
  std::vector<Node> placeholders() const;
  Node output() const;             // none while it is missing
  UseRange uses(Node node) const;  // in the order of `fx.Node.users`

  // ---- building: a new node goes before the insertion point (default: the end).
  // A name that is taken gets a number behind it, in fx's manner (`add_1`); an
  // empty one is made from the target.
  void reserve(size_t nodes);  // makes room for that many more
  Node add(NodeKind kind, std::string_view target, ArgId arguments, std::span<const Node> operands,
           std::string_view name = {}, TypeId type = {});
  // The same from interned text, with a name that is known to be free.
  Node add_named(NodeKind kind, StringId target, ArgId arguments, std::span<const Node> operands,
                 StringId name, TypeId type = {});
  void set_insertion_point(Node before) { insert_before_ = before.id(); }  // none: the end
  // A function call whose arguments are all positional: nodes and constants.
  struct Operand {  // a node or a constant structure without holes
    Node node;
    ArgId constant;
    Operand(Node n) : node(n) {}
    Operand(ArgId c) : constant(c) {}
  };
  Node call(std::string_view target, std::initializer_list<Operand> operands, TypeId type = {});

  // ---- editing
  void set_operand(Node node, uint32_t index, Node value);
  void set_arguments(Node node, ArgId arguments, std::span<const Node> operands);
  void set_target(Node node, std::string_view target, OpaqueId object = {});
  void set_type(Node node, TypeId type);
  void set_name(Node node, std::string_view name);  // made unique
  void replace_all_uses(Node node, Node with);      // a use by `with` itself stays
  void move_before(Node node, Node other);
  void erase(Node node);  // it must have no uses
  // `node` takes source line, module path and origin of `replaced`.
  void inherit_meta(Node node, Node replaced);
  void set_meta(Node node, NodeMeta meta);
  const NodeMeta& meta(Node node) const;
  // Puts the uses of `node` in the order of `users` (each user once).
  void order_users(Node node, std::span<const Node> users);

  // ---- the module around it
  std::map<std::string, Attribute, std::less<>>& attributes() { return attributes_; }
  const std::map<std::string, Attribute, std::less<>>& attributes() const { return attributes_; }
  // Objects of the whole graph that only Python understands: "codegen",
  // "module", "signature", "range_constraints" ...
  std::map<std::string, OpaqueId, std::less<>>& properties() { return properties_; }
  const std::map<std::string, OpaqueId, std::less<>>& properties() const { return properties_; }

  const NodeTable& table() const { return table_; }
  NodeTable& table() { return table_; }  // for the importer, which fills records in bulk

 private:
  std::shared_ptr<Context> context_;
  std::string name_;
  NodeTable table_;
  NodeId insert_before_;
  std::map<std::string, Attribute, std::less<>> attributes_;
  std::map<std::string, OpaqueId, std::less<>> properties_;
  std::vector<NodeMeta> metas_;
  std::vector<NodeId> operand_ids_;  // of set_arguments, kept for its capacity
  static constexpr size_t kFewOperands = 4;
  Node call_of_nodes(std::string_view target, std::initializer_list<Operand> operands, TypeId type);
  std::array<ArgId, kFewOperands + 1> calls_of_nodes_{};  // structures, by number of operands
  struct Names;
  std::unique_ptr<Names> names_;
};

// The users of a node as fx lists them: in the order of their first use, each once.
std::vector<NodeId> distinct_users(Node node);

// Where a node comes from, for a diagnostic about it.
Place node_place(Node node);

// Checks order, use lists, argument structures, types against op rows and
// subgraphs. A pass is verified after it in tests and debug builds.
Status verify(const Graph& graph);

// The text form; docs/ir.md has the grammar. parse(print(g)) gives g again.
struct PrintOptions {
  bool types = true;
  bool meta = true;
};
std::string print(const Graph& graph, const PrintOptions& options = {});
std::string print(Node node);  // one line, for messages

// Opaque handles in the text refer to objects of `context`.
Result<std::unique_ptr<Graph>> parse(std::string_view text, std::shared_ptr<Context> context,
                                     std::string_view file = "<text>");

// Same structure: order, kinds, targets, arguments, names, types, users, attributes.
bool equal(const Graph& a, const Graph& b, std::string* difference = nullptr);

}  // namespace nfx
