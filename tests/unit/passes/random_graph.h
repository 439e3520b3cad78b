// Random graphs of element ops, constants, views and copies, with values for
// their inputs.
#pragma once
#include <memory>
#include <vector>

#include "passes/graph_values.h"

namespace nfx {

struct RandomGraph {
  std::shared_ptr<Context> context;
  std::unique_ptr<Graph> graph;
  std::vector<TensorValue> inputs;
};

// The same graph for the same numbers, on every machine; a graph of fewer calls
// is the beginning of one of more.
RandomGraph random_graph(uint32_t seed, int calls);

}  // namespace nfx
