// Which nodes may be removed, merged or replaced.
#pragma once
#include "ir/graph.h"

namespace nfx {

// Nothing but its result comes of the node: it writes nothing, draws no random
// number and does not stand for an order. Attributes, projections and arithmetic of
// symbolic numbers are pure.
bool is_pure(Node node);

}  // namespace nfx
