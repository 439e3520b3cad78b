// Positions that a kernel is about to read at lie inside of what they index.
#pragma once
#include "runtime/frame.h"
#include "runtime/steps.h"

namespace nfx {

// Fails with `index-out-of-range`, naming the first position that is outside.
Status check_index(const Frame& frame, const IndexBound& bound);

}  // namespace nfx
