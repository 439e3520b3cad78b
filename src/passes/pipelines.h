// Orders of passes that belong together.
#pragma once
#include <vector>

#include "passes/pass.h"

namespace nfx {

// What the compiler runs on every graph, after composites are expanded:
// cleaning first, for it makes more expressions equal; constants before
// algebra, which looks for them; then what algebra made equal or unused. The
// graph that it gives stays as it is if the pipeline runs again.
std::vector<const Pass*> default_pipeline();

}  // namespace nfx
