// The parts of verify(). Internal to src/ir.
#pragma once
#include "ir/graph.h"

namespace nfx {

// Order, operands, use lists, names, placement, argument structures.
Status verify_structure(const Graph& graph);
// Types, subgraphs, and calls of known ops against their schemas.
Status verify_meaning(const Graph& graph);

}  // namespace nfx
