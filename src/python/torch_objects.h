// The types and singletons of PyTorch that a crossing asks for, looked up once.
#pragma once
#include <nanobind/nanobind.h>

#include <array>
#include <optional>
#include <unordered_map>

#include "ir/arg.h"
#include "ir/dtype.h"

namespace nfx::python {

namespace nb = nanobind;

struct TorchObjects {
  static const TorchObjects& get();  // with the interpreter locked

  PyTypeObject* node;  // torch.fx.Node
  PyTypeObject* immutable_list;
  PyTypeObject* immutable_dict;
  PyTypeObject* size;  // torch.Size
  PyTypeObject* tensor;
  PyTypeObject* fake_tensor;
  PyTypeObject* graph_module;
  nb::handle dtype_type, device_type;

  // How an argument of exactly this type is held; kOpaque if it is not here.
  // Nodes are not: their type differs between the two crossings.
  ArgKind kind_of(PyTypeObject* type) const {
    const auto found = kinds_.find(type);
    return found != kinds_.end() ? found->second : ArgKind::kOpaque;
  }
  // The three kinds of operator objects, which kind_of() finds by base class.
  bool is_operator(PyObject* object) const;

  std::optional<Dtype> dtype(PyObject* object) const;
  nb::object dtype_object(Dtype dtype) const;  // throws for one that this PyTorch lacks

  // A singleton named "torch.<name>": layouts and memory formats.
  nb::object singleton(std::string_view name) const;

 private:
  TorchObjects();
  void enter_kinds(PyTypeObject* dtype, PyTypeObject* device);
  void enter_dtypes();
  std::unordered_map<PyTypeObject*, ArgKind> kinds_;
  std::unordered_map<PyObject*, Dtype> dtypes_;
  std::array<PyObject*, kDtypeCount> dtype_objects_{};
  std::array<PyTypeObject*, 3> operator_types_{};
};

// A Python string as UTF-8; nothing if it has none (lone surrogates).
std::optional<std::string_view> utf8(PyObject* text);
nb::str py_text(std::string_view text);

}  // namespace nfx::python
