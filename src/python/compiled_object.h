// The callable that a compiled graph is in Python: an object that takes the
// boxed list of inputs, which it empties, or the inputs one by one, and gives a
// list of outputs.
//
// A class of nanobind would spend a microsecond on each call, so this is a plain
// type of CPython with a vectorcall entry.
#pragma once
#include <nanobind/nanobind.h>

#include "compiler/compile.h"

namespace nfx::python {

namespace nb = nanobind;

// `eager` is called with the list in place of the plan where an input is no
// plain tensor (a FakeTensor, a subclass) or a dispatch mode is active.
nb::object make_compiled_object(CompiledGraph compiled, nb::object eager);

// Null if `object` is not one.
const CompiledGraph* compiled_graph_of(nb::handle object);

}  // namespace nfx::python
