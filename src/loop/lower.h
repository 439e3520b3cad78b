// Writes the kernel of a group.
#pragma once
#include "loop/fuse.h"
#include "loop/group.h"

namespace nfx {

// What of a group somebody outside needs in memory: whole results, or elements
// of tuple results, in graph order.
std::vector<KernelOperand> stored_values(const Graph& graph, const Grouping& grouping,
                                         int32_t group);

Result<FusedKernel> lower(const Graph& graph, const Grouping& grouping, int32_t group);

}  // namespace nfx
