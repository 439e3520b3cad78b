// Binds plug-ins into the module.
#pragma once
#include <nanobind/nanobind.h>

namespace nfx::python {

void bind_plugins(nanobind::module_& m);

}  // namespace nfx::python
