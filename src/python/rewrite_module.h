#pragma once
#include <nanobind/nanobind.h>

namespace nfx::python {

void bind_rewriting(nanobind::module_& m);  // rules whose sides are graphs

}  // namespace nfx::python
