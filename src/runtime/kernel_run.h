// Runs one loop kernel over all its work items, on as many threads as pay.
#pragma once
#include "runtime/frame.h"

namespace nfx {

Status run_kernel(Frame& frame, const KernelStep& step);

}  // namespace nfx
