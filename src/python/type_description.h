// Types and symbolic expressions as plain Python data:
//
//   ("tensor", torch.float32, (2, "s0"), ("s0", 1), "cpu", "strided", False, 0)
//   ("scalar", torch.int64, "2*s0")      ("tuple", (...,))   ("none",)   ("opaque",)
//
// Integers are ints, other expressions their text; None is the unknown type.
#pragma once
#include <nanobind/nanobind.h>

#include "ir/context.h"

namespace nfx::python {

namespace nb = nanobind;

nb::object describe(const Context& context, TypeId type);
nb::object describe(const Context& context, SymExprId expr);

}  // namespace nfx::python
