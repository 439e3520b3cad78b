#include "python/bindings.h"
#include "runtime/memory_pool.h"

namespace nfx::python {
namespace nb = nanobind;
namespace {

nb::dict usage() {
  const MemoryPool::Usage now = MemoryPool::process().usage();
  nb::dict made;
  made["in_use"] = now.in_use;
  made["idle"] = now.idle;
  made["peak"] = now.peak;
  return made;
}

}  // namespace

void bind_memory(nb::module_& m) {
  m.def("memory_usage", &usage,
        "Bytes of the memory pool: in use, idle, and the most that were in use at one time since "
        "memory was last released.");
  m.def(
      "release_memory", [] { MemoryPool::process().release_idle(); },
      nb::call_guard<nb::gil_scoped_release>(), "Return the pool's idle memory to the system.");
  m.def(
      "limit_idle_memory", [](int64_t bytes) { MemoryPool::process().limit_idle(bytes); },
      nb::arg("bytes"), nb::call_guard<nb::gil_scoped_release>(),
      "How many bytes may lie idle in the pool.");
}

}  // namespace nfx::python
