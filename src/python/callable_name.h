// Names for Python objects, and objects for names.
//
//   torch.ops.aten.add.Tensor       aten.add.Tensor
//   torch.ops.higher_order.cond     higher_order.cond
//   operator.add                    operator.add
//   torch.nn.functional.relu        torch.nn.functional.relu
//   a lambda                        its module and qualified name, which lead nowhere
#pragma once
#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace nfx::python {

namespace nb = nanobind;

// The name of a call target. Names of operators are remembered.
std::string callable_name(nb::handle callable);

// What a placeholder in a text says of any object: a callable's name, the value
// of a number, else the name of the type. Never an address.
std::string object_label(nb::handle object);

// The callable of that name: an operator, or an attribute of a module that is
// already imported (a text never makes us import one). Null if there is none.
nb::object resolve_callable(std::string_view name);

}  // namespace nfx::python
