// Interned structures as arguments of Python calls: the inverse of
// fx_arguments_in.h.
#pragma once
#include <nanobind/nanobind.h>

#include <functional>
#include <vector>

#include "ir/context.h"
#include "python/torch_objects.h"

namespace nfx::python {

class ArgumentWriter {
 public:
  // Makes a Python number of an expression that came from no Python number.
  using SymbolMaker = std::function<nb::object(SymExprId)>;

  ArgumentWriter(const Context& context, SymbolMaker make_symbol)
      : context_(context), torch_(TorchObjects::get()), make_symbol_(std::move(make_symbol)) {}

  // The positional tuple and the keyword dict of a call, its holes filled with
  // `operands`. torch.fx makes its immutable containers of plain ones itself, so
  // plain ones are given to it; `exact` asks for what was read.
  struct Call {
    nb::object args, kwargs;
  };
  Call write_call(ArgId call, PyObject* const* operands, bool exact);

  // Whether a call holds what torch.fx would replace: torch.Size, plain lists, dicts.
  bool needs_exact(ArgId call);

 private:
  nb::object write(ArgId id);
  nb::object write_new(const Arg& arg);
  nb::object write_sequence(const Arg& arg);
  nb::object write_dict(const Arg& arg);
  nb::object write_symbol(const Arg& arg);
  nb::object write_operator(const Arg& arg);
  nb::object write_opaque(const Arg& arg);
  bool holds_unusual(ArgId id) const;

  const Context& context_;
  const TorchObjects& torch_;
  SymbolMaker make_symbol_;
  PyObject* const* next_operand_ = nullptr;
  bool exact_ = false;
  std::vector<nb::object> constants_;     // by ArgId; structures without holes, if not exact
  std::vector<signed char> needs_exact_;  // by ArgId: -1 unknown
};

}  // namespace nfx::python
