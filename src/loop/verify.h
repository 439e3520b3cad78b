// Checks a kernel: dimensions, buffers and scalars exist and have the right kind,
// every expression is well typed and sees only what is in scope, monoids have
// matching states. Interpreter and code generator take verified kernels only.
#pragma once
#include "loop/kernel.h"
#include "support/result.h"

namespace nfx {

Status verify(const Kernel& kernel);

}  // namespace nfx
