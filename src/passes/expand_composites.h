#pragma once
#include <functional>

#include "passes/pass.h"

namespace nfx {

// Replaces composites by the simpler ops that their rows name.
//
//   %y = aten._softmax(%x, -1, False)     %m = aten.amax(%x, [-1], True)
//                                         %e = aten.exp(aten.sub(%x, %m))
//                                   =>    %s = aten.sum(%e, [-1], True)
//                                         %y = aten.div(%e, %s)
//
// A composite stays whole if its row's rule declines (a dtype it does not
// cover), or if its tuple result is used other than by `getitem`.
// Test: tests/golden/expand_composites.nfx
Changed expand_composites(Graph& graph);

// The same for the nodes that `chosen` says yes to.
Changed expand_composites(Graph& graph, const std::function<bool(Node)>& chosen);

}  // namespace nfx
