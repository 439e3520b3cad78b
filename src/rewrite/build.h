// Builds the right side of a rule.
#pragma once
#include <optional>

#include "rewrite/rule.h"

namespace nfx {

struct Built {
  Node node;             // what the right side is
  size_t first_new = 0;  // nodes made have ids from here on
};

// New nodes go before the root of the match and have the types that their rows
// give. Nothing, and nothing left behind, if a node would have another type than
// the root or an argument cannot be computed.
std::optional<Built> build_right_side(const Pattern& pattern, const Match& match);

// Removes the nodes with ids from `first` on; nobody else may use them.
void remove_nodes_from(Graph& graph, size_t first);

}  // namespace nfx
