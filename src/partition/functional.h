// Which claims cannot be kept when a region becomes one call that only computes.
#pragma once
#include <string>
#include <vector>

#include "partition/partition.h"

namespace nfx {

using Refusals = std::vector<std::vector<std::string>>;  // by NodeId

// Takes back claims of nodes that write, draw random numbers or have effects, and
// of those whose result is written in place somewhere.
void drop_unsafe_claims(const Graph& graph, std::vector<int>& claims, Refusals& refusals);

// A call returns fresh memory, so a result that leaves a region must share none
// with the region's inputs or other results. Takes back the claims of those that
// do; true if there were any.
bool drop_shared_outputs(const Graph& graph, const Partition& partition, std::vector<int>& claims,
                         Refusals& refusals);

}  // namespace nfx
