// Orders of passes that belong together.
#pragma once
#include <vector>

#include "passes/pass_manager.h"

namespace nfx {

// What the compiler runs on every graph, after composites are expanded:
// cleaning first, for it makes more expressions equal; constants before
// algebra, which looks for them; then what algebra made equal or unused.
std::vector<const Pass*> default_pipeline();

// Runs it until nothing changes: one pass makes work for another (an equation
// gives a constant, two values become one). Running it again changes nothing.
Result<std::vector<PassRun>> run_default_pipeline(Graph& graph, PassOptions options = {});

}  // namespace nfx
