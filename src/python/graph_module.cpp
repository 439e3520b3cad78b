#include <nanobind/make_iterator.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "python/bindings.h"
#include "python/callable_name.h"
#include "python/diagnostic_error.h"
#include "python/fx_export.h"
#include "python/fx_fields.h"
#include "python/fx_import.h"
#include "python/graph_edits.h"
#include "python/meta_types.h"
#include "python/node_handle.h"
#include "python/py_opaque.h"
#include "python/running_ops.h"

namespace nfx::python {
namespace {

using GraphPtr = std::shared_ptr<Graph>;

std::vector<NodeHandle> nodes_of(const GraphPtr& graph) {
  std::vector<NodeHandle> nodes;
  nodes.reserve(graph->size());
  for (const Node node : graph->nodes()) nodes.push_back({graph, node.id()});
  return nodes;
}

NodeHandle find_node(const GraphPtr& graph, std::string_view name) {
  const Node found = graph->find(name);
  if (!found) throw nb::key_error(std::string(name).c_str());
  return {graph, found.id()};
}

// Without a graph that holds the objects, handles stand for objects elsewhere.
GraphPtr parse_text(std::string_view text, const GraphPtr& handles_of) {
  auto context = handles_of != nullptr ? handles_of->context_ptr()
                                       : std::make_shared<Context>(&running_ops(), nullptr);
  return value_or_raise(parse(text, std::move(context)));
}

nb::dict subgraphs(const GraphPtr& graph) {
  nb::dict found;
  for (const auto& [name, attribute] : graph->attributes()) {
    if (attribute.subgraph != nullptr) found[nb::str(name.c_str())] = attribute.subgraph;
  }
  return found;
}

std::optional<std::string> difference(const Graph& a, const Graph& b) {
  std::string text;
  if (equal(a, b, &text)) return std::nullopt;
  return text;
}

void bind_reading(nb::class_<Graph>& type) {
  type.def_prop_ro("name", &Graph::name)
      .def_prop_ro("nodes", &nodes_of, "The nodes in order, as a list.")
      .def("__len__", &Graph::size)
      .def("__getitem__", &find_node, nb::arg("name"), "The node of that name.")
      .def("__str__", [](const Graph& graph) { return print(graph); })
      .def_prop_ro("subgraphs", &subgraphs, "The subgraphs by attribute name.")
      .def_prop_ro("edited", &is_edited, "Whether it was edited since it was read from Python.")
      .def("difference", &difference, nb::arg("other"),
           "What distinguishes two graphs of one context, or None if they are equal.")
      .def(
          "text",
          [](const Graph& graph, bool types, bool meta) {
            return print(graph, {.types = types, .meta = meta});
          },
          nb::arg("types") = true, nb::arg("meta") = true, "The text form.");
}

void bind_crossing(nb::class_<Graph>& type) {
  type.def_static("from_fx", &import_fx, nb::arg("source").none(),
                  "Read a GraphModule, a torch.fx.Graph or an ExportedProgram.")
      .def("to_fx", &export_fx,
           "Make what the graph was read from anew: a GraphModule, torch.fx.Graph or "
           "ExportedProgram.")
      .def(
          "to_fx_graph", [](const Graph& graph) { return export_fx_graph(graph); },
          "Make a torch.fx.Graph.")
      .def_static("parse", &parse_text, nb::arg("text"), nb::arg("handles_of").none() = nb::none(),
                  "Read the text form. Handles in it are objects of `handles_of`, which is the "
                  "graph that was printed.")
      .def("infer_types", &infer_types_from_meta,
           "Set native types from the values in `meta`; returns how many were set.")
      .def(
          "verify", [](const Graph& graph) { value_or_raise(verify(graph)); },
          "Raise `nativefx.Error` if the graph breaks a rule of the IR.")
      .def("clone", [](const Graph& graph) { return GraphPtr(graph.clone()); });
}

void bind_calls(nb::class_<Graph>& type) {
  type.def("call", &create_call, nb::arg("target"), nb::arg("args"), nb::arg("kwargs") = nb::dict(),
           nb::kw_only(), nb::arg("before") = nb::none(), nb::arg("name") = "",
           nb::arg("replaces") = nb::none(),
           "Make a function call. With `replaces` it goes before that node and takes over its "
           "type, source line and module path; its uses stay.")
      .def(
          "replace_all_uses",
          [](const GraphPtr& graph, const NodeHandle& node, const NodeHandle& with) {
            graph->replace_all_uses(node_in(graph, node), node_in(graph, with));
          },
          nb::arg("node"), nb::arg("value"))
      .def(
          "set_operand",
          [](const GraphPtr& graph, const NodeHandle& node, uint32_t index,
             const NodeHandle& value) {
            const Node user = node_in(graph, node);
            if (index >= user.num_operands()) throw nb::index_error("no such operand");
            graph->set_operand(user, index, node_in(graph, value));
          },
          nb::arg("node"), nb::arg("index"), nb::arg("value"));
}

void bind_moves(nb::class_<Graph>& type) {
  type.def(
          "set_name",
          [](const GraphPtr& graph, const NodeHandle& node, std::string_view name) {
            graph->set_name(node_in(graph, node), name);
          },
          nb::arg("node"), nb::arg("name"), "Rename a node; a taken name gets a number.")
      .def(
          "move_before",
          [](const GraphPtr& graph, const NodeHandle& node, const NodeHandle& other) {
            graph->move_before(node_in(graph, node), node_in(graph, other));
          },
          nb::arg("node"), nb::arg("other"))
      .def(
          "erase",
          [](const GraphPtr& graph, const NodeHandle& node) {
            const Node erased = node_in(graph, node);
            if (erased.has_uses()) throw nb::value_error("a node with uses cannot be erased");
            graph->erase(erased);
          },
          nb::arg("node"));
}

}  // namespace

void bind_graph(nb::module_& m) {
  nb::class_<Graph> type(m, "Graph", "A graph of the native IR.");
  bind_crossing(type);
  bind_reading(type);
  bind_calls(type);
  bind_moves(type);
}

void bind_probes(nb::module_& m) {
  m.def(
      "slow_fx_fields", [] { return FxFields::get().slow_fields(); },
      "Fields of torch.fx.Node that are read by getattr, for no offset could be confirmed.");
  m.def("force_slow_fx_fields", &FxFields::force_slow, nb::arg("slow"),
        "Read all fields of torch.fx.Node by getattr, as on a PyTorch where probing fails.");
  m.def(
      "callable_name", [](nb::handle callable) { return callable_name(callable); },
      nb::arg("callable"), "The name by which the IR calls a function.");
  m.def(
      "resolve_callable",
      [](std::string_view name) -> nb::object {
        nb::object found = resolve_callable(name);
        return found.is_valid() ? found : nb::object(nb::none());
      },
      nb::arg("name"), "The function of that name among imported modules, or None.");
}

}  // namespace nfx::python
