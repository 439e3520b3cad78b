// Attributes of modules by dotted path, without going through the Python code
// of `torch.nn.Module.__getattr__` where the module's own tables tell.
#pragma once
#include <nanobind/nanobind.h>

#include <string_view>

namespace nfx::python {

namespace nb = nanobind;

nb::object find_attribute(nb::handle module, std::string_view path);  // null if there is none

}  // namespace nfx::python
