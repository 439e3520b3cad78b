#include "loop/strides.h"

#include <algorithm>

namespace nfx {
namespace {

using Kind = LinearTerm::Kind;

constexpr LinearTerm kOtherTerm = {Kind::kOther, 0, -1};

LinearTerm linear(uint64_t multiplier, int32_t scalar) {
  if (multiplier == 0) return {};
  return {Kind::kLinear, static_cast<int64_t>(multiplier), scalar};
}

uint64_t bits(int64_t value) { return static_cast<uint64_t>(value); }

bool contains(const std::vector<DimId>& dims, DimId dim) {
  return std::find(dims.begin(), dims.end(), dim) != dims.end();
}

}  // namespace

Strides::Strides(const Kernel& kernel, DimId dim) : kernel_(kernel), dim_(dim) {
  for (const Stage& stage : kernel.stages) {
    for (const Reduction& reduction : stage.reductions) {
      varying_.push_back(depends(reduction, stage));
    }
  }
  terms_.reserve(kernel.exprs.size());
  for (ExprId id = 0; id < kernel.exprs.size(); ++id) terms_.push_back(term(kernel.exprs[id]));
}

// Through what it folds, or through how much: a segment of a ragged dimension
// depends on its parent.
bool Strides::depends(const Reduction& reduction, const Stage& stage) const {
  if (contains(stage.map_dims, dim_)) return true;
  for (DimId walked : stage.reduce_dims) {
    const Dim& dim = kernel_.dims[walked];
    if (dim.kind == Dim::Kind::kRagged && dim.parent == dim_) return true;
  }
  if (contains(stage.reduce_dims, dim_)) return false;
  std::vector<bool> seen;
  std::vector<ExprId> order;
  for (ExprId root : reduction.step) append_post_order(kernel_.exprs, root, seen, order);
  return std::any_of(order.begin(), order.end(), [&](ExprId id) {
    const ExprNode& node = kernel_.exprs[id];
    if (node.op == ExprOp::kReduced) return bool{varying_[reduction_of(node)]};
    return node.op == ExprOp::kIndex && node.payload == dim_;
  });
}

LinearTerm Strides::term(const ExprNode& node) const {
  if (is_leaf(node.op)) return leaf(node);
  bool uniform = true;
  for_each_operand(node, [&](ExprId operand) { uniform &= terms_[operand].is_uniform(); });
  if (uniform) return {};
  if (node.dtype != Dtype::kInt64) return kOtherTerm;
  switch (node.op) {
    case ExprOp::kAdd:
    case ExprOp::kSub: return sum(node);
    case ExprOp::kMul: return product(node);
    default: return kOtherTerm;
  }
}

LinearTerm Strides::leaf(const ExprNode& node) const {
  switch (node.op) {
    case ExprOp::kConst:
    case ExprOp::kScalar: return {};
    case ExprOp::kIndex: return node.payload == dim_ ? linear(1, -1) : LinearTerm{};
    case ExprOp::kReduced: {
      const bool known = reduction_of(node) < varying_.size();
      return known && !varying_[reduction_of(node)] ? LinearTerm{} : kOtherTerm;
    }
    default: return kOtherTerm;
  }
}

LinearTerm Strides::sum(const ExprNode& node) const {
  const LinearTerm& left = terms_[node.operands[0]];
  LinearTerm right = terms_[node.operands[1]];
  if (left.kind == Kind::kOther || right.kind == Kind::kOther) return kOtherTerm;
  if (node.op == ExprOp::kSub) right.multiplier = static_cast<int64_t>(-bits(right.multiplier));
  if (left.is_uniform()) return right;
  if (right.is_uniform()) return left;
  if (left.scalar != right.scalar) return kOtherTerm;
  return linear(bits(left.multiplier) + bits(right.multiplier), left.scalar);
}

LinearTerm Strides::product(const ExprNode& node) const {
  const bool swap = terms_[node.operands[0]].is_uniform();
  const LinearTerm& moving = terms_[node.operands[swap ? 1 : 0]];
  const ExprNode& factor = kernel_.exprs[node.operands[swap ? 0 : 1]];
  const bool is_scaled = terms_[node.operands[swap ? 0 : 1]].is_uniform();
  if (moving.kind != Kind::kLinear || !is_scaled) return kOtherTerm;
  if (factor.op == ExprOp::kConst) {
    return linear(bits(moving.multiplier) * factor.payload, moving.scalar);
  }
  if (factor.op != ExprOp::kScalar || moving.scalar >= 0) return kOtherTerm;
  return linear(bits(moving.multiplier), static_cast<int32_t>(factor.payload));
}

}  // namespace nfx
