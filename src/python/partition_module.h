// Binds the division of graphs into the module.
#pragma once
#include <nanobind/nanobind.h>

namespace nfx::python {

void bind_partition(nanobind::module_& m);

}  // namespace nfx::python
