#pragma once
#include <nanobind/nanobind.h>

namespace nfx::python {

// Recognition of message passing, and the sorting of indices.
void bind_message_passing(nanobind::module_& m);

}  // namespace nfx::python
