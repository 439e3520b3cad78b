#include "python/node_meta.h"

#include "python/py_opaque.h"

namespace nfx::python {
namespace {

PyObject* extras_class = nullptr;

nb::handle node_extras_class() {
  if (extras_class == nullptr) {
    extras_class =
        nb::object(nb::module_::import_("nativefx.bridge").attr("NodeExtras")).release().ptr();
  }
  return extras_class;
}

nb::object item(nb::handle tuple, Py_ssize_t index) {
  return nb::borrow(PyTuple_GET_ITEM(tuple.ptr(), index));
}

}  // namespace

NodeExtras node_extras(const Graph& graph, Node node) {
  const nb::object held = object_of(graph.context(), graph.meta(node).object);
  if (!held.is_valid()) return {};
  if (!PyTuple_Check(held.ptr())) return {held, nb::none(), nb::none(), nb::none()};
  return {item(held, 0), item(held, 1), item(held, 2), item(held, 3)};
}

nb::object meta_dict(const Graph& graph, Node node) { return node_extras(graph, node).meta; }

nb::object pack_extras(const NodeExtras& extras) {
  if (extras.type.is_none() && extras.repr_fn.is_none() && extras.attributes.is_none()) {
    return extras.meta;
  }
  return node_extras_class()(extras.meta, extras.type, extras.repr_fn, extras.attributes);
}

}  // namespace nfx::python
