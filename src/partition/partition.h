// Divides a graph into regions by who can run its nodes.
//
// Each claimed node gets a level: the number of segments of one backend on the
// longest path that ends in it. Nodes of one backend and level form a region. On
// a graph of supported and unsupported nodes that gives the fewest regions of
// any acyclic division, in time linear in nodes and edges.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "support/result.h"

namespace nfx {

inline constexpr int kUnclaimed = -1;

// The answer of a backend for a node.
struct Support {
  bool yes = false;
  std::string reason;  // for no
};

// Whoever can run nodes: the loop compiler, a plug-in, PyTorch.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  virtual Support supports(Node node) = 0;
};

struct Region {
  std::string name;  // "null_0": backend and position
  int backend = kUnclaimed;
  std::vector<Node> nodes;    // in graph order
  std::vector<Node> inputs;   // values from outside, in order of first use
  std::vector<Node> outputs;  // values used outside, in graph order
};

struct Partition {
  std::vector<Region> regions;                     // in an order in which they can run
  std::vector<int> region_of;                      // by NodeId, -1 outside regions
  std::vector<std::vector<std::string>> refusals;  // by NodeId: "backend: why it said no"
};

struct PartitionOptions {
  bool connected_only = false;  // divide regions into connected parts
  size_t min_nodes = 1;         // smaller regions go back to nobody
  // Regions become calls without side effects: nodes that write, draw random
  // numbers or have effects are refused, and results whose memory others would see.
  bool functional = false;
};

// Asks the backends in order of priority; the first that says yes gets the node.
Partition partition(const Graph& graph, const std::vector<Backend*>& backends,
                    const PartitionOptions& options = {});

// The same for claims that are already made (backend number by NodeId).
Partition partition(const Graph& graph, const std::vector<int>& claims,
                    const std::vector<std::string>& backend_names,
                    const PartitionOptions& options = {});

}  // namespace nfx
