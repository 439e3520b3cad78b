// What the memory plan of a plan comes to, for reports.
#pragma once
#include <cstdint>
#include <optional>

#include "ir/graph.h"
#include "runtime/plan.h"

namespace nfx {

struct MemoryReport {
  int64_t buffers = 0;  // intermediates that the plan places
  int64_t bytes = 0;    // their sum, each in memory of its own
  int64_t arena = 0;    // the block that they share
  int64_t peak = 0;     // most that is alive at once: no block is smaller
};

// For sizes of the graph's hints; nothing where there are none.
std::optional<MemoryReport> memory_report(const Graph& graph, const Plan& plan);

}  // namespace nfx
