// Makes `torch.fx.Node` objects and enters them in a new `torch.fx.Graph`, as
// `Graph.create_node` does, through the C methods of the node type alone.
#pragma once
#include <nanobind/nanobind.h>

#include <string_view>
#include <unordered_map>

#include "ir/node.h"

namespace nfx::python {

namespace nb = nanobind;

class FxNodeMaker {
 public:
  explicit FxNodeMaker(nb::handle fx_graph);

  // A node before another one, by default at the end of the graph. Everything is as
  // given; users follow from the arguments.
  nb::object make(NodeKind kind, nb::handle name, nb::handle target, nb::handle type,
                  nb::handle args, nb::handle kwargs, nb::handle before = {});
  // A node that is there gets other arguments, or another place.
  void set_arguments(nb::handle node, nb::handle args, nb::handle kwargs) const;
  void put_before(nb::handle node, nb::handle before) const;
  // Writes a field that torch.fx would compute or normalise.
  void set_field(nb::handle node, const char* field, nb::handle value) const;
  void finish(size_t count);  // the length of the graph

 private:
  nb::handle op_name(NodeKind kind) const { return op_names_[static_cast<size_t>(kind)]; }
  void enter_lookup(NodeKind kind, nb::handle node, nb::handle target);

  nb::object graph_;
  PyTypeObject* node_type_;
  initproc base_init_;      // of the C base type
  nb::object update_args_;  // _NodeBase._update_args_kwargs
  nb::object prepend_;      // _NodeBase._prepend
  nb::object root_;
  nb::object names_;   // dict: node -> name
  nb::object lookup_;  // dict: (op, target) -> {node: None}
  nb::object op_names_[6];
  nb::object no_arguments_;
  std::unordered_map<PyObject*, PyObject*> functions_;  // target -> its entry in lookup_
  PyObject* others_[6] = {};                            // by kind
};

}  // namespace nfx::python
