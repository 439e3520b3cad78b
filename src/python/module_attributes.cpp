#include "python/module_attributes.h"

#include "python/torch_objects.h"

namespace nfx::python {
namespace {

// The tables that torch.nn.Module keeps in its __dict__.
nb::object find_in_tables(nb::handle module, const nb::str& name) {
  PyObject** dict = _PyObject_GetDictPtr(module.ptr());
  if (dict == nullptr || *dict == nullptr) return {};
  for (const char* table : {"_parameters", "_buffers", "_modules"}) {
    PyObject* entries = PyDict_GetItemString(*dict, table);
    if (entries == nullptr || !PyDict_Check(entries)) continue;
    if (PyObject* value = PyDict_GetItemWithError(entries, name.ptr())) return nb::borrow(value);
  }
  return {};
}

nb::object step(nb::handle module, const nb::str& name) {
  if (nb::object found = find_in_tables(module, name); found.is_valid()) return found;
  PyObject* value = PyObject_GetAttr(module.ptr(), name.ptr());
  if (value == nullptr) PyErr_Clear();
  return nb::steal(value);
}

}  // namespace

nb::object find_attribute(nb::handle module, std::string_view path) {
  nb::object object = nb::borrow(module);
  while (object.is_valid()) {
    const size_t dot = path.find('.');
    object = step(object, py_text(path.substr(0, dot)));
    if (dot == std::string_view::npos) break;
    path.remove_prefix(dot + 1);
  }
  return object;
}

}  // namespace nfx::python
