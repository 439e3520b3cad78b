// Keeps Python objects alive for a Context. A reference is counted with the
// interpreter locked, whichever thread asks, and is let go without a word once
// the interpreter is going away.
#pragma once
#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "ir/context.h"
#include "ir/opaque.h"

namespace nfx::python {

namespace nb = nanobind;

// The one owner of all Python objects; never destroyed.
OpaqueOwner& python_owner();

// A Context of its own for one graph and its subgraphs: it dies with them, and
// so do the references to Python objects that it holds.
std::shared_ptr<Context> new_context();

// The object of a handle; nothing for a stand-in whose object is elsewhere.
inline nb::object object_of(const Context& context, OpaqueId id) {
  if (!id) return {};
  return nb::borrow(static_cast<PyObject*>(context.object(id)));
}

}  // namespace nfx::python
