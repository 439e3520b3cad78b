// Native graphs back into torch.fx: nodes that were not edited come back with
// the same objects in every field.
#pragma once
#include <nanobind/nanobind.h>

#include <memory>

#include "ir/graph.h"

namespace nfx::python {

namespace nb = nanobind;

// What the graph was read from: a GraphModule, a torch.fx.Graph or an
// ExportedProgram, each a new object. A graph made natively gives a GraphModule.
// Throws ValueError for a target or argument that has no object in this process.
nb::object export_fx(const std::shared_ptr<Graph>& graph);
nb::object export_fx_graph(const Graph& graph);  // a torch.fx.Graph

}  // namespace nfx::python
