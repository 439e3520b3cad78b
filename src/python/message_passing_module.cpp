#include "python/message_passing_module.h"

#include <nanobind/stl/shared_ptr.h>

#include <string>

#include "message_passing/prepare.h"
#include "message_passing/sort_index.h"

namespace nb = nanobind;

namespace nfx::python {
namespace {

// A tensor in memory: address, bytes an element, elements, stride in elements.
IndexView view_of(uintptr_t data, size_t element_size, int64_t length, int64_t stride) {
  return {reinterpret_cast<const void*>(data), element_size, length, stride};
}

int64_t* integers(uintptr_t data) { return reinterpret_cast<int64_t*>(data); }

void raise_if(const BadIndex& bad, int64_t n) {
  if (!bad) return;
  const std::string text = "index " + std::to_string(*bad) +
                           " is out of bounds for dimension 0 with size " + std::to_string(n);
  throw nb::index_error(text.c_str());
}

}  // namespace

void bind_message_passing(nb::module_& m) {
  m.def(
      "prepare_edges",
      [](const std::shared_ptr<Graph>& graph) { return prepare_edges(*graph) == Changed::kYes; },
      nb::arg("graph"),
      "Write gather and scatter along rows as mp ops, and move dense work off the edges; "
      "whether there were any.");
  m.def("sort_index", [](uintptr_t data, size_t element_size, int64_t length, int64_t stride,
                         int64_t n, uintptr_t offsets, uintptr_t order, uintptr_t sorted) {
    raise_if(sort_index(view_of(data, element_size, length, stride), n, integers(offsets),
                        integers(order), integers(sorted)),
             n);
  });
  m.def("permute_index", [](uintptr_t data, size_t element_size, int64_t length, int64_t stride,
                            int64_t n, uintptr_t order, uintptr_t result) {
    raise_if(permute_index(view_of(data, element_size, length, stride), n, integers(order),
                           integers(result)),
             n);
  });
  m.def("check_index", [](uintptr_t data, size_t element_size, int64_t length, int64_t stride,
                          int64_t n, bool wrap, uintptr_t result) {
    raise_if(check_index(view_of(data, element_size, length, stride), n, wrap, integers(result)),
             n);
  });
}

}  // namespace nfx::python
