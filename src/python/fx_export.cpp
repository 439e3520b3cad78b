#include "python/fx_export.h"

#include <string>
#include <vector>

#include "python/callable_name.h"
#include "python/fx_arguments_out.h"
#include "python/fx_fields.h"
#include "python/fx_import.h"
#include "python/fx_node_maker.h"
#include "python/module_attributes.h"
#include "python/node_meta.h"
#include "python/py_opaque.h"
#include "python/type_description.h"

namespace nfx::python {
namespace {

nb::module_ bridge() { return nb::module_::import_("nativefx.bridge"); }

nb::object source_of(const Graph& graph) {
  const auto found = graph.properties().find(kSourceProperty);
  if (found == graph.properties().end()) return nb::none();
  nb::object source = object_of(graph.context(), found->second);
  return source.is_valid() ? source : nb::none();
}

// Thousands of objects are made of which none is garbage; looking for garbage
// among them in between would cost more than making them.
class NoCollection {
 public:
  NoCollection() : was_enabled_(PyGC_Disable() != 0) {}
  ~NoCollection() {
    if (was_enabled_) PyGC_Enable();
  }
  NoCollection(const NoCollection&) = delete;
  NoCollection& operator=(const NoCollection&) = delete;

 private:
  bool was_enabled_;
};

class Exporter {
 public:
  Exporter(const Graph& graph, nb::handle fx_graph)
      : graph_(graph),
        context_(graph.context()),
        maker_(fx_graph),
        writer_(
            context_,
            [this](SymExprId expr) { return values().attr("symbol")(describe(context_, expr)); }),
        made_(graph.id_limit()) {}

  void run() {
    for (const Node node : graph_.nodes()) make(node);
    for (const Node node : graph_.nodes()) order_users(node);
    maker_.finish(graph_.size());
  }

 private:
  void make(Node node) {
    operands_.clear();
    for (uint32_t i = 0; i < node.num_operands(); ++i) {
      operands_.push_back(made_[node.operand(i).id().value].ptr());
    }
    const NodeExtras extras = node_extras(graph_, node);
    const bool derived = graph_.meta(node).derived;
    const bool read = extras.meta.is_valid() && !derived;
    const ArgumentWriter::Call call = writer_.write_call(node.arguments(), operands_.data(), false);
    const nb::object made = maker_.make(node.kind(), py_text(node.name()), target(node),
                                        read ? extras.type : nb::none(), call.args, call.kwargs);
    if (writer_.needs_exact(node.arguments())) restore_arguments(node, made);
    if (read) {
      restore_extras(made, extras);
    } else {
      write_new_meta(node, made, extras);
    }
    made_[node.id().value] = made;
  }

  void restore_extras(const nb::object& made, const NodeExtras& extras) {
    if (PyDict_CheckExact(extras.meta.ptr())) {
      const nb::object meta = FxFields::get().read(made.ptr(), FxField::kMeta);
      if (PyDict_Update(meta.ptr(), extras.meta.ptr()) != 0) nb::raise_python_error();
    } else {
      maker_.set_field(made, "meta", nb::module_::import_("copy").attr("copy")(extras.meta));
    }
    if (!extras.repr_fn.is_none()) maker_.set_field(made, "_repr_fn", extras.repr_fn);
    if (extras.attributes.is_none()) return;
    for (const auto [name, value] : nb::borrow<nb::dict>(extras.attributes)) {
      maker_.set_field(made, nb::str(name).c_str(), value);
    }
  }

  // A node that an edit made: what its predecessor knew of its origin, and a
  // value of its own type.
  void write_new_meta(Node node, const nb::object& made, const NodeExtras& extras) {
    const nb::object meta = FxFields::get().read(made.ptr(), FxField::kMeta);
    const nb::object origin = extras.meta.is_valid() ? extras.meta : nb::dict();
    const nb::object type = describe(context_, node.type_id());
    if (type.is_none() && PyDict_GET_SIZE(origin.ptr()) == 0) return;
    values().attr("fill_meta")(meta, origin, type);
  }

  void restore_arguments(Node node, const nb::object& made) {
    const ArgumentWriter::Call call = writer_.write_call(node.arguments(), operands_.data(), true);
    maker_.set_field(made, "_args", call.args);
    maker_.set_field(made, "_kwargs", call.kwargs);
  }

  nb::object target(Node node) {
    if (node.kind() != NodeKind::kCallFunction) {
      return text_of(graph_.table().records[node.id().value].target);
    }
    nb::object object = object_of(context_, node.target_object());
    if (!object.is_valid()) object = resolve_callable(node.target());
    if (!object.is_valid() || !PyCallable_Check(object.ptr())) {
      throw nb::value_error(("node `" + std::string(node.name()) + "` calls `" +
                             std::string(node.target()) + "`, which this process does not have; " +
                             "import its module, or parse the text with `handles_of`")
                                .c_str());
    }
    return object;
  }

  // Methods and paths repeat: one string object each.
  nb::object text_of(StringId id) {
    if (texts_.size() <= id.value) texts_.resize(2 * id.value + 1);
    if (!texts_[id.value].is_valid()) texts_[id.value] = py_text(context_.text(id));
    return texts_[id.value];
  }

  // Python listed the users in the order in which they were made.
  void order_users(Node node) {
    if (!node.has_uses() || node.has_one_use()) return;
    bool ordered = true;
    Node last;
    for (const Use use : graph_.uses(node)) {
      const Node user = graph_.node(use.user);
      ordered &= !last || last == user || last.before(user);
      last = user;
    }
    if (ordered) return;
    const nb::object users = FxFields::get().read(made_[node.id().value].ptr(), FxField::kUsers);
    PyDict_Clear(users.ptr());
    for (const Use use : graph_.uses(node)) {
      const int status = PyDict_SetItem(users.ptr(), made_[use.user.value].ptr(), Py_None);
      if (status != 0) nb::raise_python_error();
    }
  }

  // Makes FakeTensors and symbolic numbers, in the fake mode that the `meta` of
  // the graph was made in.
  nb::handle values() {
    if (!values_.is_valid()) {
      nb::list metas;
      for (const Node node : graph_.nodes()) {
        const nb::object meta = meta_dict(graph_, node);
        if (meta.is_valid()) metas.append(meta);
      }
      values_ = nb::module_::import_("nativefx.values").attr("Values")(metas);
    }
    return values_;
  }

  const Graph& graph_;
  const Context& context_;
  FxNodeMaker maker_;
  ArgumentWriter writer_;
  std::vector<nb::object> made_;  // by NodeId
  std::vector<PyObject*> operands_;
  std::vector<nb::object> texts_;  // by StringId
  nb::object values_;
};

// Whether the graph or a subgraph in it was edited.
bool was_touched(const Graph& graph) {
  if (is_edited(graph)) return true;
  for (const auto& [name, attribute] : graph.attributes()) {
    if (attribute.subgraph != nullptr && was_touched(*attribute.subgraph)) return true;
  }
  return false;
}

nb::object export_subgraph(const Graph& graph);

// Attributes that are not what the module had when it was read: set natively,
// or subgraphs that were edited.
nb::dict changed_attributes(const Graph& graph) {
  nb::dict changed;
  for (const auto& [name, attribute] : graph.attributes()) {
    nb::object object = object_of(graph.context(), attribute.object);
    if (attribute.subgraph != nullptr && was_touched(*attribute.subgraph)) {
      object = export_subgraph(*attribute.subgraph);
    }
    if (object.is_valid()) changed[py_text(name)] = object;
  }
  return changed;
}

nb::object export_subgraph(const Graph& graph) {
  return bridge().attr("give")(source_of(graph), export_fx_graph(graph), is_edited(graph),
                               changed_attributes(graph));
}

}  // namespace

nb::object export_fx_graph(const Graph& graph) {
  const NoCollection guard;
  nb::object fx_graph = bridge().attr("start_graph")(source_of(graph));
  Exporter(graph, fx_graph).run();
  bridge().attr("finish_graph")(source_of(graph), fx_graph, is_edited(graph));
  return fx_graph;
}

nb::object export_fx(const std::shared_ptr<Graph>& graph) { return export_subgraph(*graph); }

}  // namespace nfx::python
