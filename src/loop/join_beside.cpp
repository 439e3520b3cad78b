// Joining what has more dimensions than the group: a product that is reduced over
// the group's inner dimensions, such as weights times the rows that they scale.
#include <algorithm>

#include "loop/join.h"

namespace nfx {

// Dimensions beside the inner ones: of a product that is reduced over these and
// needed for nothing else.
bool Join::complete_beside(Node node, const std::vector<size_t>& missing) {
  const std::vector<uint32_t> known = domain_.beside_dims();
  if (!known.empty() && known.size() != missing.size()) return false;
  const auto sizes = node.type().sizes;
  for (size_t i = 0; i < missing.size(); ++i) {
    const SymExprId size = sizes[missing[i]];
    if (known.empty()) {
      map_[missing[i]] = {domain_.add_beside(size)};
    } else if (known_equal(context_, domain_.dims()[known[i]].size, size)) {
      map_[missing[i]] = {known[i]};
    } else {
      return false;
    }
  }
  return folds_away(node, map_);
}

bool Join::folds_away(Node node, const DimMap& map) const {
  if (!node.has_one_use()) return false;
  const Node user = grouping_.graph_.node((*grouping_.graph_.uses(node).begin()).user);
  const OpRow* row = op_row(user);
  if (row == nullptr) return false;
  if (!row->fold) {
    const bool same = row->element && row->read_operands == 0 && !row->has(Trait::kView) &&
                      user.type().kind == TypeKind::kTensor &&
                      std::ranges::equal(user.type().sizes, node.type().sizes);
    return same && folds_away(user, map);
  }
  const Result<Fold> fold = row->fold(user);
  if (!fold.ok() || fold->input != node) return false;
  std::set<uint32_t> reduced;
  for (int64_t d : fold->dims) {
    const DimProduct& product = map[static_cast<size_t>(d)];
    reduced.insert(product.begin(), product.end());
  }
  const std::vector<uint32_t> inner = domain_.inner_dims();
  if (reduced != std::set<uint32_t>(inner.begin(), inner.end())) return false;
  return !fold->offsets || domain_.dims()[inner[0]].offsets == fold->offsets;
}

}  // namespace nfx
