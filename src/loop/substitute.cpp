#include "loop/substitute.h"

namespace nfx {

ExprId Substitution::operator()(ExprId root) {
  if (root == kNoExpr) return kNoExpr;
  std::vector<bool> seen;
  std::vector<ExprId> order;
  append_post_order(pool_, root, seen, order);
  for (ExprId id : order) {
    if (known_.contains(id)) continue;
    ExprNode node = pool_[id];
    const ExprId replacement = replace_(node);
    if (replacement != kNoExpr) {
      known_[id] = replacement;
      continue;
    }
    for (ExprId& operand : node.operands) {
      if (operand != kNoExpr) operand = known_.at(operand);
    }
    known_[id] = pool_.add(node);
  }
  return known_.at(root);
}

}  // namespace nfx
