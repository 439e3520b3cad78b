// The order in which steps run: each after what it needs.
#pragma once
#include <vector>

#include "compiler/memory_roots.h"

namespace nfx {

// A kernel, or one node that PyTorch or Python runs.
struct StepUnit {
  int32_t kernel = -1;
  Node node;  // where kernel is -1
};

// Orders by need: values, symbols that a result makes known, writes to memory
// that others read, and the order among random and effectful nodes. Of what is
// ready, the one whose last node comes first in the graph runs first.
// Errors: `cyclic-steps` if a kernel needs what needs it (a fault of fusion).
Result<std::vector<StepUnit>> order_steps(const Graph& graph, const ValueTable& values,
                                          const Runners& runners, const MemoryRoots& memory,
                                          const Fusion* fusion);

}  // namespace nfx
