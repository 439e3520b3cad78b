// torch.fx graphs into native ones: one loop over the nodes that reads their
// fields. `meta` dicts are held and not opened.
#pragma once
#include <nanobind/nanobind.h>

#include <memory>

#include "ir/graph.h"

namespace nfx::python {

namespace nb = nanobind;

// Names under which a graph keeps what only Python understands.
inline constexpr std::string_view kSourceProperty = "fx";             // a bridge.FxSource
inline constexpr std::string_view kFingerprintProperty = "fx.edits";  // int: see fingerprint()

// `source` is a GraphModule, a torch.fx.Graph or an ExportedProgram. Attributes
// that get_attr and call_module name are entered, with a subgraph where one is
// a GraphModule. Throws ValueError for a graph that uses a node before it is
// made, or one of another graph.
std::shared_ptr<Graph> import_fx(nb::handle source);

// The nodes and attributes of a GraphModule alone, in a Context that exists: what is
// read from both compares by id. It cannot be exported.
std::shared_ptr<Graph> import_pattern(std::shared_ptr<Context> context, nb::handle module,
                                      std::string_view name);

// Tells whether a graph still is as it was read: order, names, targets,
// arguments. Two graphs of one Context that differ in these differ in it.
uint64_t fingerprint(const Graph& graph);
// Whether it was edited since it was read, or never was read.
bool is_edited(const Graph& graph);

}  // namespace nfx::python
