// What is done about message passing before autograd sees the graph.
#pragma once
#include "passes/pass.h"

namespace nfx {

// recognize_edges; and if something was found, repeated work is done once and dense
// work moves to the nodes. The latter two need a graph that records gradients
// either everywhere or nowhere: a value may not move across a switch.
// Test: tests/golden/prepare_edges.nfx
Changed prepare_edges(Graph& graph);

}  // namespace nfx
