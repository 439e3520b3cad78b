// Nodes that compute what follows from an index alone: its sorted order, the other
// ends of its edges in that order, and the check that it names rows there are.
//
// An index that is an input of the graph, or a view of one, is given as that input
// with the view's length, stride and offset, so that the results can be kept from
// call to call under the input's identity.
#pragma once
#include "ir/graph.h"

namespace nfx {

class MemoryFacts;

// An index as a view of a tensor that has an identity.
struct IndexSource {
  Node base;
  SymExprId length, stride, offset;  // in elements; offset from where `base` starts
  bool keep = false;                 // `base` comes from outside of this run
};
IndexSource index_source(Node index, MemoryFacts& memory);

struct SortedEdges {
  Node offsets;  // [n + 1]
  Node order;    // [edges]: edge at each position
  Node ends;     // [edges]: row of each position, ascending
};
// New nodes go to the insertion point of the graph.
SortedEdges sort_edges(Graph& graph, const IndexSource& index, SymExprId n);
// index[order], checked to be in [0, n).
Node sorted_index(Graph& graph, const IndexSource& index, SymExprId n, Node order);
// index, checked to be in [0, n); with `wrap` negative ones count from the end.
Node checked_index(Graph& graph, const IndexSource& index, SymExprId n, bool wrap);

}  // namespace nfx
