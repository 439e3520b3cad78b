// A graph as calls of its regions, and back: inlining what was split gives the
// graph that there was.
//
//   %1 = aten.neg(%x)             %1 = aten.neg(%x)
//   %2 = aten.add(%1, 1)          %a_0 = module "a_0"(%1)
//   %3 = aten.mul(%2, %1)         %g = operator.getitem(%a_0, 0)
//   %4 = aten.exp(%3)             %4 = aten.exp(%g)
#pragma once
#include <string>
#include <vector>

#include "partition/partition.h"
#include "support/result.h"

namespace nfx {

// How the nodes of a graph stood: their order, and that of the users of each, by
// name.
struct NodeArrangement {
  struct Entry {
    std::string name;
    std::vector<std::string> users;  // empty: in graph order
  };
  std::vector<Entry> entries;
};
NodeArrangement arrangement_of(const Graph& graph);

// Puts the nodes as they stood. Nodes that are new or gone change nothing for the
// others. Does nothing where the order would break a use.
void rearrange(Graph& graph, const NodeArrangement& arrangement);

// Each region becomes an attribute of its name, a graph, and a call of it; the
// call gives a tuple, of which one getitem an output takes its part.
NodeArrangement split(Graph& graph, const Partition& partition);

// Puts the nodes of the called graph in the place of the call. The attribute goes
// when nothing names it any more. Errors: `not-a-call` (of a graph of the
// module), `call-mismatch` (number of inputs, or a use that is no element).
Status inline_call(Graph& graph, Node call);

// All calls of graphs, also those inside the inlined ones.
Status inline_calls(Graph& graph, const NodeArrangement& arrangement = {});

}  // namespace nfx
