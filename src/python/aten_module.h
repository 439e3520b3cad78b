// Binds native calls of PyTorch operators into the module.
#pragma once
#include <nanobind/nanobind.h>

namespace nfx {

void bind_aten(nanobind::module_& m);

}  // namespace nfx
