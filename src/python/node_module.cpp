#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "python/bindings.h"
#include "python/fx_arguments_out.h"
#include "python/node_handle.h"
#include "python/node_meta.h"
#include "python/py_opaque.h"
#include "python/type_description.h"

namespace nfx::python {
namespace {

// In the order of NodeKind.
constexpr const char* kOpNames[] = {"placeholder", "get_attr",    "call_function",
                                    "call_method", "call_module", "output"};

nb::object handle_of(const std::shared_ptr<Graph>& graph, Node node) {
  return node ? nb::cast(NodeHandle{graph, node.id()}) : nb::object(nb::none());
}

std::vector<nb::object> operands(const NodeHandle& self) {
  const Node node = self.node();
  std::vector<nb::object> found;
  for (uint32_t i = 0; i < node.num_operands(); ++i) {
    found.push_back(handle_of(self.graph, node.operand(i)));
  }
  return found;
}

std::vector<nb::object> users(const NodeHandle& self) {
  std::vector<NodeId> seen;
  std::vector<nb::object> found;
  for (const Use use : self.graph->uses(self.node())) {
    if (std::ranges::find(seen, use.user) != seen.end()) continue;
    seen.push_back(use.user);
    found.push_back(handle_of(self.graph, self.graph->node(use.user)));
  }
  return found;
}

ArgumentWriter::Call arguments(const NodeHandle& self) {
  const Context& context = self.graph->context();
  const std::vector<nb::object> nodes = operands(self);
  std::vector<PyObject*> pointers;
  for (const nb::object& node : nodes) pointers.push_back(node.ptr());
  ArgumentWriter writer(context, [&](SymExprId expr) { return describe(context, expr); });
  return writer.write_call(self.node().arguments(), pointers.data(), true);
}

nb::object meta_of(const NodeHandle& self) {
  nb::object meta = meta_dict(*self.graph, self.node());
  return meta.is_valid() ? meta : nb::dict();
}

}  // namespace

void bind_node(nb::module_& m) {
  nb::class_<NodeHandle>(m, "Node", "A node of a graph. A node is its value.")
      .def_prop_ro("graph", [](const NodeHandle& self) { return self.graph; })
      .def_prop_ro("name", [](const NodeHandle& self) { return std::string(self.node().name()); })
      .def_prop_ro(
          "op",
          [](const NodeHandle& self) { return kOpNames[static_cast<size_t>(self.node().kind())]; },
          "The kind of the node, in the words of torch.fx.")
      .def_prop_ro(
          "target", [](const NodeHandle& self) { return std::string(self.node().target()); },
          "The name of what is called or read.")
      .def_prop_ro(
          "target_object",
          [](const NodeHandle& self) {
            nb::object object = object_of(self.graph->context(), self.node().target_object());
            return object.is_valid() ? object : nb::object(nb::none());
          },
          "The Python object that is called, if the node came from Python.")
      .def_prop_ro("args", [](const NodeHandle& self) { return arguments(self).args; })
      .def_prop_ro("kwargs", [](const NodeHandle& self) { return arguments(self).kwargs; })
      .def_prop_ro("operands", &operands, "The nodes among the arguments, from left to right.")
      .def_prop_ro("users", &users, "Each user once, in the order of torch.fx.")
      .def_prop_ro(
          "type",
          [](const NodeHandle& self) {
            return describe(self.graph->context(), self.node().type_id());
          },
          "The native type as a tuple, or None while it is not known.")
      .def_prop_ro("meta", &meta_of, "The `meta` of the node, or of the one it replaced.")
      .def_prop_ro(
          "derived", [](const NodeHandle& self) { return self.graph->meta(self.node()).derived; },
          "Whether a native edit made the node in place of another.")
      .def("__eq__", [](const NodeHandle& a,
                        const NodeHandle& b) { return a.graph == b.graph && a.id == b.id; })
      .def("__hash__", [](const NodeHandle& self) { return std::hash<NodeId>()(self.id); })
      .def("__repr__", [](const NodeHandle& self) { return print(self.node()); });
}

}  // namespace nfx::python
