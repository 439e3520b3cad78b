// The groups of bindings of the module, one file each.
#pragma once
#include <nanobind/nanobind.h>

namespace nfx::python {

void bind_node(nanobind::module_& m);      // Node
void bind_graph(nanobind::module_& m);     // Graph: crossing, text, reading, editing
void bind_probes(nanobind::module_& m);    // what was probed in the running PyTorch
void bind_memory(nanobind::module_& m);    // the pool
void bind_profile(nanobind::module_& m);   // recording of runs
void bind_programs(nanobind::module_& m);  // compiled programs as files

}  // namespace nfx::python
