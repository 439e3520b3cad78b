#include "python/diagnostic_error.h"

#include <nanobind/stl/string.h>

namespace nfx::python {

void raise(const Diagnostic& diagnostic) {
  namespace nb = nanobind;
  const char* name = diagnostic.code == "index-out-of-range" ? "IndexOutOfRange" : "Error";
  const nb::object type = nb::module_::import_("nativefx.errors").attr(name);
  nb::object error = type(diagnostic.str());
  error.attr("code") = diagnostic.code;
  PyErr_SetObject(type.ptr(), error.ptr());
  throw nb::python_error();
}

}  // namespace nfx::python
