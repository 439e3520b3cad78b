#include <nanobind/nanobind.h>

#include "python/aten_module.h"
#include "python/bindings.h"
#include "python/compiled_module.h"
#include "python/message_passing_module.h"
#include "python/partition_module.h"
#include "python/plugin_module.h"
#include "python/rewrite_module.h"

NB_MODULE(_core, m) {
  m.doc() = "The native side of nativefx.";
  nfx::python::bind_node(m);
  nfx::python::bind_graph(m);
  nfx::python::bind_probes(m);
  nfx::python::bind_memory(m);
  nfx::bind_aten(m);
  nfx::python::bind_compiler(m);
  nfx::python::bind_profile(m);
  nfx::python::bind_programs(m);
  nfx::python::bind_plugins(m);
  nfx::python::bind_rewriting(m);
  nfx::python::bind_message_passing(m);
  nfx::python::bind_partition(m);
}
