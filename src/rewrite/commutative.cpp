// Which calls give the same with their first two arguments swapped.
#include <algorithm>
#include <array>

#include "rewrite/subgraph_match.h"

namespace nfx {
namespace {

// Functions and methods of Python, which have no row.
constexpr std::array<std::string_view, 16> kFunctions = {
    "operator.add",  "operator.and_",     "operator.eq",      "operator.mul",
    "operator.ne",   "operator.or_",      "operator.xor",     "torch.add",
    "torch.eq",      "torch.logical_and", "torch.logical_or", "torch.logical_xor",
    "torch.maximum", "torch.minimum",     "torch.mul",        "torch.ne"};

bool is_number(ArgumentView argument) { return argument && argument.as_number().has_value(); }

// `(1, 2) + y` joins tuples: only values and numbers add up the same both ways.
bool may_be_number(ArgumentView argument) { return argument.is_node() || is_number(argument); }

// `add(x, y, alpha=2)` is x + 2*y.
bool has_factor(Node node) {
  const ArgumentView alpha = argument(node, "alpha");
  return alpha && !(is_number(alpha) && *alpha.as_number() == 1);
}

}  // namespace

bool arguments_commute(Node node) {
  const bool known = node.has(Trait::kCommutative);
  if (!known) {
    if (node.kind() != NodeKind::kCallFunction || node.op() != nullptr) return false;
    if (!std::ranges::binary_search(kFunctions, node.target())) return false;
  }
  if (num_positional(node) < 2 || has_factor(node)) return false;
  return may_be_number(positional(node, 0)) && may_be_number(positional(node, 1));
}

}  // namespace nfx
