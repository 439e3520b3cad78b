// Symbolic numbers of PyTorch as expressions of a Context. Nothing here asks a
// symbolic number for its value: that would specialise it.
#pragma once
#include <nanobind/nanobind.h>

#include <unordered_map>
#include <vector>

#include "ir/context.h"

namespace nfx::python {

namespace nb = nanobind;

// Reads SymInt, SymFloat and SymBool. Asking sympy for text is slow, so an
// expression object is read once for the lifetime of a reader. Symbols get the
// range and the hint that their ShapeEnv knows.
class SymbolReader {
 public:
  explicit SymbolReader(Context& context) : context_(context) {}

  SymExprId read(PyObject* number);     // SymInt, SymFloat or SymBool
  SymExprId read_size(PyObject* size);  // int or SymInt

 private:
  SymExprId read_expression(nb::handle node);
  void declare_symbols(nb::handle expression, nb::handle shape_env);
  void set_facts(SymExprId symbol, nb::handle sympy_symbol, nb::handle shape_env);

  Context& context_;
  std::unordered_map<PyObject*, SymExprId> known_;  // by sympy expression
  std::vector<nb::object> kept_;                    // the keys of known_
};

// "cpu", "cuda:1": the text of a torch.device, interned.
class DeviceNames {
 public:
  explicit DeviceNames(Context& context) : context_(context) {}
  StringId name(PyObject* device);

 private:
  Context& context_;
  nb::dict known_;
};

}  // namespace nfx::python
