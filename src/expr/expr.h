// Scalar expressions: what one element becomes.
//
// An expression is an index into a pool that holds each distinct expression
// once, so equal expressions have equal ids and shared work is shared by
// construction. Op rows write their value with the handles below,
//
//   .value([](Expr x) { return select(x > 0, x, exp(x) - 1); })
//
// and loop kernels hold the same nodes with loads, loop indices and reduction
// states as leaves.
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "expr/expr_op.h"
#include "ir/dtype.h"

namespace nfx {

using ExprId = uint32_t;
inline constexpr ExprId kNoExpr = std::numeric_limits<ExprId>::max();

struct ExprNode {
  ExprOp op;
  Dtype dtype;  // of the result
  ExprId operands[3] = {kNoExpr, kNoExpr, kNoExpr};
  uint64_t payload = 0;  // meaning depends on `op`, see expr_op.h

  friend bool operator==(const ExprNode&, const ExprNode&) = default;
};

// Arena of hash-consed nodes. Operands always have smaller ids than their users.
class ExprPool {
 public:
  // The id of the node, or of a simpler one of the same value (see simplify.h).
  ExprId add(const ExprNode& node);
  const ExprNode& operator[](ExprId id) const { return nodes_[id]; }
  size_t size() const { return nodes_.size(); }

  ExprId constant(Dtype dtype, double value);   // floating dtypes; rounded, then kept as a double
  ExprId constant(Dtype dtype, int64_t value);  // integral dtypes and bool
  ExprId leaf(ExprOp op, Dtype dtype, uint64_t payload);
  // kLoad of `buffer` at `offset` (int64, in elements). With a guard the memory
  // is touched only where the guard holds; elsewhere the value is zero.
  ExprId load(uint32_t buffer, Dtype dtype, ExprId offset, ExprId guard = kNoExpr);

 private:
  std::vector<ExprNode> nodes_;
  std::vector<uint32_t> table_;  // open addressing over nodes_, ids + 1
  ExprId intern(const ExprNode& node);
  void grow();
};

// A handle for writing expressions. Operands of one operator must have the same
// dtype, except that a C++ number takes the dtype of the other operand.
struct Expr {
  ExprPool* pool = nullptr;
  ExprId id = kNoExpr;

  Dtype dtype() const { return (*pool)[id].dtype; }
};

Expr unary(ExprOp op, Expr x);           // result has x's dtype (bool for predicates)
Expr binary(ExprOp op, Expr x, Expr y);  // result has x's dtype (bool for comparisons)
Expr select(Expr condition, Expr if_true, Expr if_false);
Expr cast(Expr x, Dtype dtype);         // PyTorch's `.to(dtype)`
Expr literal(Expr like, double value);  // a constant of `like`'s dtype
Expr literal(ExprPool& pool, Dtype dtype, double value);

// Calls visit(operand) for the operands that are there.
template <class Visit>
void for_each_operand(const ExprNode& node, Visit visit) {
  for (ExprId operand : node.operands) {
    if (operand != kNoExpr) visit(operand);
  }
}

// Appends what `root` is made of, operands first, itself last, leaving out what
// is marked in `seen` and marking what it appends. Order depends on structure
// only, not on ids. `seen` is grown to the pool's size.
void append_post_order(const ExprPool& pool, ExprId root, std::vector<bool>& seen,
                       std::vector<ExprId>& order);

// What every ExprOp means on values is defined in evaluate.h, the text form of
// expressions in expr_text.h; operators and functions on Expr are in expr_math.h.

}  // namespace nfx
