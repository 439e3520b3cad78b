// Edits of native graphs with arguments given as Python objects.
#pragma once
#include <nanobind/nanobind.h>

#include <memory>
#include <string_view>

#include "python/node_handle.h"

namespace nfx::python {

// The node of a handle, which must be of this graph.
Node node_in(const std::shared_ptr<Graph>& graph, const NodeHandle& handle);

// A call of `target`, a callable or a name, with Node objects as operands.
NodeHandle create_call(const std::shared_ptr<Graph>& graph, nb::handle target, nb::tuple args,
                       nb::dict kwargs, nb::handle before, std::string_view name,
                       nb::handle replaces);

}  // namespace nfx::python
