// Diagnostics as Python exceptions.
#pragma once
#include <nanobind/nanobind.h>

#include "support/result.h"

namespace nfx::python {

// Throws `nativefx.Error` with the text of the diagnostic and its code as `code`.
[[noreturn]] void raise(const Diagnostic& diagnostic);

template <class T>
T value_or_raise(Result<T> result) {
  if (!result.ok()) raise(result.error());
  return std::move(result).value();
}

}  // namespace nfx::python
