// A node as Python holds it: with its graph, so that it never dangles.
#pragma once
#include <nanobind/nanobind.h>

#include <memory>

#include "ir/graph.h"

namespace nfx::python {

namespace nb = nanobind;

struct NodeHandle {
  std::shared_ptr<Graph> graph;
  NodeId id;

  // Throws for a node that was erased.
  Node node() const {
    if (graph->table().records[id.value].erased) throw nb::value_error("the node was erased");
    return graph->node(id);
  }
};

}  // namespace nfx::python
