// Types out of what tracing left in `meta`: the FakeTensor, symbolic number or
// tuple under "val", or under "example_value" in graphs of Dynamo.
#pragma once
#include <nanobind/nanobind.h>

#include <unordered_map>

#include "ir/graph.h"
#include "python/py_symbols.h"
#include "python/torch_objects.h"

namespace nfx::python {

class TypeReader {
 public:
  explicit TypeReader(Context& context)
      : context_(context), torch_(TorchObjects::get()), symbols_(context), devices_(context) {}

  // The type of a tensor, number, None, or tuple or list of these; an opaque
  // type for anything else, subclasses that wrap several tensors included.
  TypeId read(PyObject* value);

 private:
  enum class Shape : uint8_t { kTensor, kFakeTensor, kOther };
  Shape shape_of(PyTypeObject* type);
  TypeId read_tensor(nb::handle tensor, bool fake);
  TypeId read_elements(PyObject* items, TypeKind kind);
  TypeId read_scalar(PyObject* value);
  void read_sizes(nb::handle sizes, std::vector<SymExprId>& out);
  void read_layout(nb::handle tensor, Type& type);

  Context& context_;
  const TorchObjects& torch_;
  SymbolReader symbols_;
  DeviceNames devices_;
  std::unordered_map<PyTypeObject*, Shape> shapes_;
  std::unordered_map<PyObject*, Layout> layouts_;
  std::vector<SymExprId> sizes_, strides_;
};

// Sets the type of every node whose `meta` tells one, here and in subgraphs.
// A node without one keeps the type that it has. Returns how many were set.
size_t infer_types_from_meta(Graph& graph);

}  // namespace nfx::python
