#include "python/fx_import.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "python/callable_name.h"
#include "python/fx_arguments_in.h"
#include "python/fx_fields.h"
#include "python/module_attributes.h"
#include "python/node_map.h"
#include "python/node_meta.h"
#include "python/py_opaque.h"
#include "support/hash.h"

namespace nfx::python {
namespace {

NodeKind kind_of(nb::handle op) {
  const std::string_view text = utf8(op.ptr()).value_or("");
  if (text == "call_function") return NodeKind::kCallFunction;
  if (text == "placeholder") return NodeKind::kPlaceholder;
  if (text == "get_attr") return NodeKind::kGetAttr;
  if (text == "call_method") return NodeKind::kCallMethod;
  if (text == "call_module") return NodeKind::kCallModule;
  if (text == "output") return NodeKind::kOutput;
  throw nb::value_error(("unknown kind of node `" + std::string(text) + "`").c_str());
}

// Reads the nodes of one graph.
class Importer final : public OperandSource {
 public:
  Importer(Graph& graph, nb::handle fx_graph)
      : graph_(graph),
        context_(graph.context()),
        fields_(FxFields::get()),
        fx_graph_(fx_graph),
        nodes_(nb::cast<size_t>(fx_graph.attr("_len"))),
        reader_(context_, TorchObjects::get().node, *this) {}

  void run() {
    reserve(nb::cast<size_t>(fx_graph_.attr("_len")));
    const nb::object root = nb::object(fx_graph_.attr("_root"));
    nb::object node = fields_.read(root.ptr(), FxField::kNext);
    while (!node.is(root)) {
      const nb::object next = fields_.read(node.ptr(), FxField::kNext);
      for (size_t line = 64; line < sizeof_node_; line += 64) {
        __builtin_prefetch(reinterpret_cast<char*>(next.ptr()) + line);
      }
      read_node(node.ptr());
      fields_.prefetch(next.ptr());
      order_.push_back(node.ptr());
      node = next;
    }
    for (size_t i = 0; i < order_.size(); ++i) read_users(i);
  }

  NodeId find(PyObject* node) override {
    const NodeId id = nodes_.find(node);
    if (!id) refuse(node);
    return id;
  }

 private:
  [[noreturn]] void refuse(PyObject* node) const {
    const std::string name = nb::str(nb::handle(node)).c_str();
    throw nb::value_error(("node `" + name +
                           "` is used before it is made, or belongs to another graph; call "
                           "`graph.lint()` to find the place")
                              .c_str());
  }

  void reserve(size_t count) {
    graph_.reserve(count);
    context_.reserve(static_cast<uint32_t>(count), static_cast<uint32_t>(count));
    order_.reserve(count);
    num_users_.reserve(count);
  }

  void read_node(PyObject* node) {
    const nb::object args = fields_.read(node, FxField::kArgs);
    const nb::object kwargs = fields_.read(node, FxField::kKwargs);
    const ArgId arguments = reader_.read_call(args.ptr(), kwargs.ptr());
    const NodeId id = graph_.table().append_record({});
    NodeRecord& record = graph_.table().records[id.value];
    record.arguments = arguments;
    record.kind = read_kind(fields_.read(node, FxField::kOp));
    record.name = context_.intern(text_of(fields_.read(node, FxField::kName)));
    read_target(record, fields_.read(node, FxField::kTarget));
    graph_.table().assign_operands(id, reader_.operands());
    graph_.set_meta(graph_.node(id), {.object = context_.opaque(read_extras(node).ptr())});
    nodes_.insert(node, id);
    // Asked while the node is near: the second loop then passes over most nodes.
    num_users_.push_back(PyDict_GET_SIZE(fields_.read(node, FxField::kUsers).ptr()));
  }

  static std::string_view text_of(const nb::object& text) {
    const auto bytes = utf8(text.ptr());
    if (!bytes) throw nb::value_error("a name or target of a node is not valid Unicode text");
    return *bytes;
  }

  // The six words of fx are interned strings, so one comparison finds most.
  NodeKind read_kind(const nb::object& op) {
    if (op.is(last_op_)) return last_kind_;
    last_kind_ = kind_of(op);
    last_op_ = op;
    return last_kind_;
  }

  void read_target(NodeRecord& record, const nb::object& target) {
    if (record.kind != NodeKind::kCallFunction) {
      record.target = context_.intern(text_of(target));
      return;
    }
    const auto [known, added] = targets_.try_emplace(target.ptr());
    if (added) {
      known->second = {context_.intern(callable_name(target)), context_.opaque(target.ptr())};
    }
    record.target = known->second.name;
    record.target_object = known->second.object;
  }

  nb::object read_extras(PyObject* node) const {
    NodeExtras extras{fields_.read(node, FxField::kMeta), fields_.read(node, FxField::kType),
                      fields_.read(node, FxField::kReprFn), nb::none()};
    PyObject** dict = _PyObject_GetDictPtr(node);
    if (dict != nullptr && *dict != nullptr && PyDict_GET_SIZE(*dict) != 0) {
      extras.attributes = nb::steal(PyDict_Copy(*dict));
    }
    return pack_extras(extras);
  }

  // Uses were linked in the order of the users; a graph that was edited may
  // list them differently.
  void read_users(size_t index) {
    const Node node = graph_.node({static_cast<uint32_t>(index + 1)});
    if (num_users_[index] == 1 && node.has_one_use()) return;
    if (num_users_[index] == 0 && !node.has_uses()) return;
    const nb::object users = fields_.read(order_[index], FxField::kUsers);
    users_.clear();
    PyObject *user, *unused;
    for (Py_ssize_t at = 0; PyDict_Next(users.ptr(), &at, &user, &unused);) {
      users_.push_back(graph_.node(find(user)));
    }
    if (!lists_users(node)) graph_.order_users(node, users_);
  }

  bool lists_users(Node node) const {
    size_t seen = 0;
    NodeId last;
    for (const Use use : graph_.uses(node)) {
      if (use.user == last) continue;
      if (seen == users_.size() || users_[seen].id() != use.user) return false;
      last = use.user;
      ++seen;
    }
    return seen == users_.size();
  }

  struct Target {
    StringId name;
    OpaqueId object;
  };

  Graph& graph_;
  Context& context_;
  const FxFields& fields_;
  nb::handle fx_graph_;
  NodeMap nodes_;
  ArgumentReader reader_;
  // A graph is a chase of pointers; while one node is read the next one is fetched.
  size_t sizeof_node_ = static_cast<size_t>(TorchObjects::get().node->tp_basicsize);
  std::vector<PyObject*> order_;
  std::vector<Py_ssize_t> num_users_;
  std::unordered_map<PyObject*, Target> targets_;
  std::vector<Node> users_;
  nb::object last_op_;
  NodeKind last_kind_ = NodeKind::kCallFunction;
};

nb::module_ bridge() { return nb::module_::import_("nativefx.bridge"); }

std::shared_ptr<Graph> import_into(std::shared_ptr<Context> context, nb::handle source,
                                   std::string_view name);

void read_attributes(Graph& graph, nb::handle module) {
  for (const Node node : graph.nodes()) {
    if (node.kind() != NodeKind::kGetAttr && node.kind() != NodeKind::kCallModule) continue;
    const auto [entry, added] = graph.attributes().try_emplace(std::string(node.target()));
    if (!added) continue;
    const nb::object object = find_attribute(module, node.target());
    if (!object.is_valid()) continue;
    entry->second.object = graph.context().opaque(object.ptr());
    if (PyObject_TypeCheck(object.ptr(), TorchObjects::get().graph_module)) {
      entry->second.subgraph = import_into(graph.context_ptr(), object, node.target());
    }
  }
}

std::shared_ptr<Graph> import_into(std::shared_ptr<Context> context, nb::handle source,
                                   std::string_view name) {
  auto graph = std::make_shared<Graph>(std::move(context), name);
  const nb::object taken = bridge().attr("take")(source);
  const nb::object fx_graph = nb::object(taken[0]), module = nb::object(taken[1]);
  Importer(*graph, fx_graph).run();
  if (!module.is_none()) read_attributes(*graph, module);
  graph->properties()[std::string(kSourceProperty)] =
      graph->context().opaque(nb::object(taken[2]).ptr());
  graph->properties()[std::string(kFingerprintProperty)] =
      graph->context().opaque(nb::int_(fingerprint(*graph)).ptr());
  return graph;
}

}  // namespace

std::shared_ptr<Graph> import_fx(nb::handle source) {
  return import_into(new_context(), source, "main");
}

std::shared_ptr<Graph> import_pattern(std::shared_ptr<Context> context, nb::handle module,
                                      std::string_view name) {
  auto graph = std::make_shared<Graph>(std::move(context), name);
  const nb::object fx_graph = module.attr("graph");
  Importer(*graph, fx_graph).run();
  read_attributes(*graph, module);
  return graph;
}

uint64_t fingerprint(const Graph& graph) {
  const NodeTable& table = graph.table();
  std::vector<uint32_t> position(table.records.size());
  HashMixer mixer;
  uint32_t count = 0;
  for (NodeId id = table.first; id; id = table.records[id.value].next) {
    const NodeRecord& record = table.records[id.value];
    position[id.value] = count++;
    mixer.add(uint64_t{record.name.value} << 8 | static_cast<uint64_t>(record.kind));
    mixer.add(uint64_t{record.target.value} << 32 | record.target_object.value);
    mixer.add(uint64_t{record.arguments.value} << 32 | record.num_operands);
    for (uint32_t i = 0; i < record.num_operands; ++i) {
      mixer.add(position[table.slots[record.first_operand + i].value.value]);
    }
  }
  return mixer.value();
}

bool is_edited(const Graph& graph) {
  const auto found = graph.properties().find(kFingerprintProperty);
  if (found == graph.properties().end()) return true;
  const nb::object recorded = object_of(graph.context(), found->second);
  return !recorded.is_valid() || nb::cast<uint64_t>(recorded) != fingerprint(graph);
}

}  // namespace nfx::python
