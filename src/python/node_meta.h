// What Python knows of a node beyond its structure. A node holds its `meta`
// dict; a node that also has a type expression, a printing function, attributes
// of its own or a name that is taken holds a `bridge.NodeExtras` with all of
// these. Nothing is read before it is asked for.
#pragma once
#include <nanobind/nanobind.h>

#include "ir/graph.h"

namespace nfx::python {

namespace nb = nanobind;

struct NodeExtras {
  nb::object meta;        // dict
  nb::object type;        // type expression; None
  nb::object repr_fn;     // None
  nb::object attributes;  // dict of the node object; None if empty
};

// All fields null for a node that was made natively from nothing.
NodeExtras node_extras(const Graph& graph, Node node);
nb::object meta_dict(const Graph& graph, Node node);  // null if there is none

// The object to hold for a node that was read.
nb::object pack_extras(const NodeExtras& extras);

}  // namespace nfx::python
