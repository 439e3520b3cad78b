#include "message_passing/row_wise.h"

#include <algorithm>

#include "expr/expr_math.h"
#include "ops/op_row.h"

namespace nfx {
namespace {

enum class Access : uint8_t { kNone, kShared, kRow };

// Runs the element rule of a node and records at which rows it reads.
class RowProbe final : public ElementContext {
 public:
  explicit RowProbe(Node node) : node_(node), access_(node.num_operands(), Access::kNone) {
    for (size_t d = 0; d < node.type().rank(); ++d)
      index_.push_back({&pool_, pool_.leaf(ExprOp::kIndex, Dtype::kInt64, d)});
  }

  Node node() const override { return node_; }
  ExprPool& pool() override { return pool_; }
  std::span<const Expr> index() const override { return index_; }
  Expr size(SymExprId) override { return unknown(Dtype::kInt64); }

  Expr aligned(Node operand) override {
    const auto sizes = operand.type().sizes;
    const bool has_rows =
        sizes.size() == index_.size() && !sizes.empty() && !is_one(sizes[0]) && !is_one(rows());
    return record(operand, has_rows ? Access::kRow : Access::kShared);
  }

  Expr read(Node input, std::span<const Expr> index, Expr guard) override {
    if (guard.id != kNoExpr && depends_on_row(guard.id)) ok_ = false;
    const bool by_row = !index.empty() && index[0].id == index_[0].id;
    for (size_t d = by_row ? 1 : 0; d < index.size(); ++d) {
      if (depends_on_row(index[d].id)) ok_ = false;
    }
    return record(input, by_row ? Access::kRow : Access::kShared);
  }

  Expr number(ArgumentView argument, Dtype dtype) override {
    if (argument.is_node()) record(argument.node(), Access::kShared);
    return unknown(dtype);
  }

  std::optional<std::vector<bool>> operands(Expr value) {
    if (depends_on_row(value.id)) ok_ = false;
    if (!ok_) return std::nullopt;
    std::vector<bool> rows;
    for (const Access access : access_) rows.push_back(access == Access::kRow);
    return rows;
  }

 private:
  SymExprId rows() const { return node_.type().sizes[0]; }
  bool is_one(SymExprId size) const { return as_int(node_.graph().context(), size) == 1; }
  Expr unknown(Dtype dtype) { return {&pool_, pool_.leaf(ExprOp::kScalar, dtype, fresh_++)}; }

  Expr record(Node operand, Access access) {
    for (uint32_t i = 0; i < node_.num_operands(); ++i) {
      if (node_.operand(i) != operand) continue;
      if (access_[i] != Access::kNone && access_[i] != access) ok_ = false;
      access_[i] = access;
    }
    return unknown(operand.type().dtype);
  }

  bool depends_on_row(ExprId id) const {
    const ExprNode& expr = pool_[id];
    if (expr.op == ExprOp::kIndex && expr.payload == 0) return true;
    bool depends = false;
    for_each_operand(expr, [&](ExprId operand) { depends = depends || depends_on_row(operand); });
    return depends;
  }

  Node node_;
  ExprPool pool_;
  std::vector<Expr> index_;
  std::vector<Access> access_;
  uint64_t fresh_ = 0;
  bool ok_ = true;
};

std::vector<bool> only_first(Node node) {
  std::vector<bool> rows(node.num_operands(), false);
  rows[0] = true;
  return rows;
}

std::optional<std::vector<bool>> of_fold(Node node, const OpRow& row) {
  const Result<Fold> fold = row.fold(node);
  if (!fold || fold->offsets || fold->input != node.operand(0)) return std::nullopt;
  if (std::binary_search(fold->dims.begin(), fold->dims.end(), int64_t{0})) return std::nullopt;
  return only_first(node);
}

}  // namespace

std::optional<std::vector<bool>> row_operands(Node node) {
  const OpRow* row = op_row(node);
  const Type& type = node.type();
  if (row == nullptr || node.kind() != NodeKind::kCallFunction) return std::nullopt;
  if (type.kind != TypeKind::kTensor || type.rank() == 0 || row->spread_over) return std::nullopt;
  if (!row->has(Trait::kPure) && !row->has(Trait::kView)) return std::nullopt;
  if (row->has(Trait::kRandom) || (row->refuses && !row->refuses(node).empty()))
    return std::nullopt;
  if (row->has(Trait::kReshape)) {
    // Row-major order: rows stay whole where their number does.
    const Type& input = node.operand(0).type();
    const bool same =
        input.rank() > 0 && known_equal(node.graph().context(), input.sizes[0], type.sizes[0]);
    if (!same) return std::nullopt;
    return only_first(node);
  }
  if (row->fold) return of_fold(node, *row);
  if (!row->element) return std::nullopt;
  RowProbe probe(node);
  const Expr value = row->element(probe);
  return probe.operands(value);
}

}  // namespace nfx
