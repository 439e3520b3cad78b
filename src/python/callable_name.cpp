#include "python/callable_name.h"

#include "python/torch_objects.h"

namespace nfx::python {
namespace {

// The attribute as text, or empty if it is missing or no string.
std::string text_attribute(nb::handle object, const char* name) {
  const nb::object value = nb::getattr(object, name, nb::none());
  if (!PyUnicode_CheckExact(value.ptr())) return {};
  return std::string(utf8(value.ptr()).value_or(std::string_view()));
}

std::string dotted(std::string name) {
  const size_t colons = name.find("::");
  if (colons != std::string::npos) name.replace(colons, 2, ".");
  return name;
}

std::string operator_name(nb::handle op) {
  const std::string qualified = text_attribute(op, "_qualified_op_name");
  if (qualified.empty()) {  // a higher-order operator
    std::string space = text_attribute(op, "namespace");
    if (space.empty()) space = "higher_order";
    return space + "." + text_attribute(op, "__name__");
  }
  const std::string overload = text_attribute(op, "_overloadname");
  return overload.empty() ? dotted(qualified) : dotted(qualified) + "." + overload;
}

std::string module_of(nb::handle callable) {
  std::string module = text_attribute(callable, "__module__");
  if (module.empty()) {  // methods of C types name their class only
    module = text_attribute(nb::getattr(callable, "__objclass__", nb::none()), "__module__");
  }
  if (module == "_operator") return "operator";
  return module.empty() ? "builtins" : module;
}

nb::object attribute_or_null(const nb::object& object, std::string_view name) {
  PyObject* value = PyObject_GetAttr(object.ptr(), py_text(name).ptr());
  if (value == nullptr) PyErr_Clear();
  return nb::steal(value);
}

nb::object walk(nb::object object, std::string_view path) {
  while (object.is_valid() && !path.empty()) {
    const size_t dot = path.find('.');
    object = attribute_or_null(object, path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return object;
}

// The longest prefix that names an imported module, and the rest as attributes.
nb::object resolve_in_modules(std::string_view name) {
  PyObject* modules = PyImport_GetModuleDict();
  for (size_t end = name.rfind('.'); end != std::string_view::npos && end > 0;
       end = name.rfind('.', end - 1)) {
    PyObject* module = PyDict_GetItemWithError(modules, py_text(name.substr(0, end)).ptr());
    if (module == nullptr) continue;
    if (nb::object found = walk(nb::borrow(module), name.substr(end + 1)); found.is_valid()) {
      return found;
    }
  }
  return {};
}

}  // namespace

std::string callable_name(nb::handle callable) {
  if (TorchObjects::get().is_operator(callable.ptr())) return operator_name(callable);
  std::string name = text_attribute(callable, "__qualname__");
  if (name.empty()) name = text_attribute(callable, "__name__");
  if (name.empty()) {  // an instance with __call__
    const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(callable.ptr())));
    return module_of(type) + "." + text_attribute(type, "__qualname__");
  }
  const std::string module = module_of(callable);
  // Builtins of torch carry the name of a class that they are not reached by.
  const std::string short_name = module + "." + text_attribute(callable, "__name__");
  if (resolve_in_modules(short_name).is(callable)) return short_name;
  return module + "." + name;
}

std::string object_label(nb::handle object) {
  if (PyLong_CheckExact(object.ptr())) return nb::repr(object).c_str();
  if (PyType_Check(object.ptr()) || PyFunction_Check(object.ptr()) ||
      PyCFunction_Check(object.ptr())) {
    return callable_name(object);
  }
  const bool has_torch = PyDict_GetItemString(PyImport_GetModuleDict(), "torch.fx") != nullptr;
  if (has_torch && TorchObjects::get().is_operator(object.ptr())) return operator_name(object);
  const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())));
  const std::string module = module_of(type);
  const std::string name = text_attribute(type, "__qualname__");
  return module == "builtins" ? name : module + "." + name;
}

nb::object resolve_callable(std::string_view name) {
  if (nb::object found = resolve_in_modules(name); found.is_valid()) return found;
  return walk(nb::module_::import_("torch").attr("ops"), name);
}

}  // namespace nfx::python
