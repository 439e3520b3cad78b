// Regions as graphs of their own, and as single calls in the graph they came from.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "partition/partition.h"

namespace nfx {

//   %x = placeholder            a region of %2 and %3, extracted:
//   %1 = aten.neg(%x)             %1 = placeholder
//   %2 = aten.add(%1, 1)          %2 = aten.add(%1, 1)
//   %3 = aten.mul(%2, %1)         %3 = aten.mul(%2, %1)
//   %4 = aten.exp(%3)             output((%3,))
//
// One placeholder an input, the region's nodes, a tuple of its outputs. Names,
// types, origin and the attributes that its nodes name are kept; the Context is
// shared.
std::unique_ptr<Graph> extract(const Graph& graph, const Region& region);

// Makes what takes the place of region `index`, before `place`: one node an output.
// `inputs` are the region's, with what by now stands for those of other regions.
using RegionReplacement =
    std::function<std::vector<Node>(size_t index, std::span<const Node> inputs, Node place)>;

// Replaces the regions for which `wanted` holds (by number). Nodes are put in an
// order in which each region stands together: the old order as far as that goes.
void outline(Graph& graph, const Partition& partition, const std::vector<bool>& wanted,
             const RegionReplacement& replace);

}  // namespace nfx
