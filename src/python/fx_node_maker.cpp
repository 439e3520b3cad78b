#include "python/fx_node_maker.h"

#include "python/torch_objects.h"

namespace nfx::python {
namespace {

// In the order of NodeKind.
constexpr const char* kOpNames[] = {"placeholder", "get_attr",    "call_function",
                                    "call_method", "call_module", "output"};

void check(int status) {
  if (status != 0) nb::raise_python_error();
}

nb::object checked(PyObject* result) {
  if (result == nullptr) nb::raise_python_error();
  return nb::steal(result);
}

}  // namespace

FxNodeMaker::FxNodeMaker(nb::handle fx_graph)
    : graph_(nb::borrow(fx_graph)), node_type_(TorchObjects::get().node) {
  const nb::object base = nb::module_::import_("torch.fx.node").attr("_NodeBase");
  base_init_ = reinterpret_cast<PyTypeObject*>(base.ptr())->tp_init;
  update_args_ = base.attr("_update_args_kwargs");
  prepend_ = base.attr("_prepend");
  root_ = fx_graph.attr("_root");
  names_ = fx_graph.attr("_graph_namespace").attr("_obj_to_name");
  lookup_ = fx_graph.attr("_find_nodes_lookup_table").attr("table");
  no_arguments_ = nb::make_tuple();
  for (size_t kind = 0; kind < std::size(kOpNames); ++kind) {
    op_names_[kind] = nb::steal(PyUnicode_InternFromString(kOpNames[kind]));
  }
}

nb::object FxNodeMaker::make(NodeKind kind, nb::handle name, nb::handle target, nb::handle type,
                             nb::handle args, nb::handle kwargs, nb::handle before) {
  nb::object node = checked(node_type_->tp_new(node_type_, no_arguments_.ptr(), nullptr));
  const nb::object fields = checked(
      PyTuple_Pack(5, graph_.ptr(), name.ptr(), op_name(kind).ptr(), target.ptr(), type.ptr()));
  check(base_init_(node.ptr(), fields.ptr(), nullptr));
  set_arguments(node, args, kwargs);
  put_before(node, before.is_valid() ? before : root_);
  check(PyDict_SetItem(names_.ptr(), node.ptr(), name.ptr()));
  enter_lookup(kind, node, target);
  return node;
}

void FxNodeMaker::set_arguments(nb::handle node, nb::handle args, nb::handle kwargs) const {
  PyObject* update[] = {node.ptr(), args.ptr(), kwargs.ptr()};
  checked(PyObject_Vectorcall(update_args_.ptr(), update, 3, nullptr));
}

void FxNodeMaker::put_before(nb::handle node, nb::handle before) const {
  PyObject* prepend[] = {before.ptr(), node.ptr()};
  checked(PyObject_Vectorcall(prepend_.ptr(), prepend, 2, nullptr));
}

// The hash of an operator runs Python code, so each target is asked for once.
void FxNodeMaker::enter_lookup(NodeKind kind, nb::handle node, nb::handle target) {
  PyObject*& entry = kind == NodeKind::kCallFunction ? functions_[target.ptr()]
                                                     : others_[static_cast<size_t>(kind)];
  if (entry == nullptr) {
    const nb::handle key_target = kind == NodeKind::kCallFunction ? target : nb::none();
    const nb::object nodes = lookup_[nb::make_tuple(op_name(kind), key_target)];
    entry = nodes.ptr();  // the table keeps it
  }
  check(PyDict_SetItem(entry, node.ptr(), Py_None));
}

// Past `Node.__setattr__`, which would look the node up in tables first.
void FxNodeMaker::set_field(nb::handle node, const char* field, nb::handle value) const {
  check(PyObject_GenericSetAttr(node.ptr(), py_text(field).ptr(), value.ptr()));
}

void FxNodeMaker::finish(size_t count) { graph_.attr("_len") = nb::int_(count); }

}  // namespace nfx::python
