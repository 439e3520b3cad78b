// Reads the fields of `torch.fx.Node`. They are slots of a C type at offsets
// that Python's own member descriptors tell, so reading one costs a load. The
// offsets are compared with getattr on a probe graph; a field for which that
// fails is read by getattr ever after, and `slow_fields()` names it.
#pragma once
#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace nfx::python {

namespace nb = nanobind;

enum class FxField : uint8_t {
  kNext,
  kName,
  kOp,
  kTarget,
  kType,
  kArgs,
  kKwargs,
  kUsers,
  kReprFn,
  kMeta,
};
inline constexpr size_t kFxFieldCount = 10;

class FxFields {
 public:
  static const FxFields& get();  // probes once, with the interpreter locked

  nb::object read(PyObject* node, FxField field) const {
    const Py_ssize_t offset = offsets_[static_cast<size_t>(field)];
    if (offset < 0) return read_slowly(node, field);
    PyObject* value = *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(node) + offset);
    return nb::borrow(value != nullptr ? value : Py_None);
  }
  // Asks for what the fields of a node point to, some time before it is read.
  void prefetch(PyObject* node) const {
    for (const FxField field : {FxField::kName, FxField::kArgs, FxField::kMeta, FxField::kUsers}) {
      const Py_ssize_t offset = offsets_[static_cast<size_t>(field)];
      if (offset < 0) continue;
      __builtin_prefetch(*reinterpret_cast<void**>(reinterpret_cast<char*>(node) + offset));
    }
  }
  // Fields whose offset could not be found or confirmed.
  std::vector<std::string> slow_fields() const;
  // As if no offset were known: for the test of the slow way.
  static void force_slow(bool slow);

 private:
  FxFields();
  nb::object read_slowly(PyObject* node, FxField field) const;
  bool confirmed(PyObject* probe_graph, size_t field) const;

  std::array<Py_ssize_t, kFxFieldCount> offsets_;
};

}  // namespace nfx::python
