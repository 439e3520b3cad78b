// Steps of a plan that only the interpreter can run, and what else a compilation
// asks of Python.
#pragma once
#include <nanobind/nanobind.h>

#include <memory>

#include "compiler/compile.h"

namespace nfx::python {

namespace nb = nanobind;

// The hooks of a compilation of a graph that was read from `module`. They are
// called with the interpreter locked.
CompileHooks python_hooks(nb::object module);

// After a failed run: raises the Python exception that a step of this thread has
// met; what eager raises where an operator failed in PyTorch;
// else `nativefx.Error`.
[[noreturn]] void raise_run_failure(const Diagnostic& diagnostic);

}  // namespace nfx::python
