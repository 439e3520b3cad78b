// What an element rule of the op table sees while its op is written into a kernel.
#pragma once
#include <vector>

#include "expr/expr_math.h"
#include "loop/lowering.h"

namespace nfx {

class Element final : public ElementContext {
 public:
  // `member`: the node is part of the group, whose values it may use in place.
  // With a guard, memory is touched only where it holds.
  Element(Lowering& lowering, Node node, std::vector<Expr> index, bool member, Expr guard = {})
      : lowering_(lowering),
        node_(node),
        index_(std::move(index)),
        member_(member),
        guard_(guard) {}

  Node node() const override { return node_; }
  ExprPool& pool() override { return lowering_.pool(); }
  std::span<const Expr> index() const override { return index_; }

  Expr aligned(Node operand) override {
    if (member_ && lowering_.is_local(operand)) return lowering_.value_of_member(operand);
    const auto sizes = operand.type().sizes;
    const size_t shift = index_.size() - sizes.size();
    std::vector<Expr> position;
    for (size_t d = 0; d < sizes.size(); ++d) {
      const bool broadcast = as_int(node_.graph().context(), sizes[d]) == 1;
      position.push_back(broadcast ? Expr{&pool(), pool().constant(Dtype::kInt64, int64_t{0})}
                                   : index_[d + shift]);
    }
    return lowering_.at(operand, position, guard_);
  }

  Expr read(Node input, std::span<const Expr> index, Expr guard) override {
    if (guard_.id != kNoExpr) guard = guard.id == kNoExpr ? guard_ : guard_ & guard;
    return lowering_.at(input, index, guard);
  }
  bool bounded(Node index, SymExprId size, bool negative) override {
    return lowering_.bounded(index, size, negative, node_);
  }
  Expr size(SymExprId expr) override { return lowering_.size(expr); }
  Expr number(ArgumentView argument, Dtype dtype) override {
    return lowering_.number(argument, dtype);
  }

 private:
  Lowering& lowering_;
  Node node_;
  std::vector<Expr> index_;
  bool member_;
  Expr guard_;
};

}  // namespace nfx
