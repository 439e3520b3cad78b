// Binds compilation into the module.
#pragma once
#include <nanobind/nanobind.h>

namespace nfx::python {

void bind_compiler(nanobind::module_& m);

}  // namespace nfx::python
