// The exception that eager raises for a call. PyTorch's C interface tells only the
// text of an error, but programs catch `IndexError` or `NotImplementedError`.
#pragma once
#include <exception>
#include <span>

#include "runtime/aten_call.h"

namespace nfx::python {

// Calls a failed operator again, through the interpreter, and gives what it
// raises; null if it raises nothing this time. Takes the interpreter lock.
std::exception_ptr eager_error(const AtenCall& call, std::span<const AtenArg> args);

}  // namespace nfx::python
