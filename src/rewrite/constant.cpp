#include "rewrite/constant.h"

#include <bit>
#include <cmath>

#include "ops/op_row.h"

namespace nfx {
namespace {

// Gives operands as constants where they are known, so that the pool folds the
// element rule while it is written.
class ConstantContext final : public ElementContext {
 public:
  ConstantContext(Node node, const OperandConstant& operands) : node_(node), operands_(operands) {
    for (uint32_t dim = 0; dim < node.type().rank(); ++dim) {
      index_.push_back({&pool_, pool_.leaf(ExprOp::kIndex, Dtype::kInt64, dim)});
    }
  }

  Node node() const override { return node_; }
  ExprPool& pool() override { return pool_; }
  std::span<const Expr> index() const override { return index_; }

  Expr aligned(Node operand) override {
    const Dtype dtype = operand.type().dtype;
    const std::optional<Constant> known = operands_ ? operands_(operand) : std::nullopt;
    return known ? constant(*known) : unknown(dtype);
  }

  Expr read(Node input, std::span<const Expr>, Expr guard) override {
    const Expr value = aligned(input);
    return guard.pool == nullptr ? value : select(guard, value, literal(value, 0.0));
  }

  Expr size(SymExprId expr) override {
    const std::optional<int64_t> value = as_int(node_.graph().context(), expr);
    if (!value) return unknown(Dtype::kInt64);
    return {&pool_, pool_.constant(Dtype::kInt64, *value)};
  }

  Expr number(ArgumentView argument, Dtype dtype) override {
    if (argument && argument.kind() == ArgKind::kSym) return cast(size(argument.arg().sym), dtype);
    if (const std::optional<int64_t> integer = argument.as_int()) {
      return cast({&pool_, pool_.constant(Dtype::kInt64, *integer)}, dtype);
    }
    if (const std::optional<double> real = argument.as_number()) {
      return cast({&pool_, pool_.constant(Dtype::kFloat64, *real)}, dtype);
    }
    return unknown(dtype);
  }

 private:
  Expr constant(const Constant& value) {
    if (is_floating(value.dtype)) {
      return {&pool_, pool_.constant(value.dtype, std::bit_cast<double>(value.bits))};
    }
    return {&pool_, pool_.constant(value.dtype, static_cast<int64_t>(value.bits))};
  }

  // Each its own: equal unknowns would cancel.
  Expr unknown(Dtype dtype) { return {&pool_, pool_.leaf(ExprOp::kParam, dtype, num_unknown_++)}; }

  Node node_;
  const OperandConstant& operands_;
  ExprPool pool_;
  std::vector<Expr> index_;
  uint64_t num_unknown_ = 0;
};

bool is_computable_tensor(const Type& type) {
  return type.kind == TypeKind::kTensor && is_computable(type.dtype);
}

bool is_computable_node(Node node) {
  if (!is_computable_tensor(node.type())) return false;
  for (uint32_t i = 0; i < node.num_operands(); ++i) {
    const Type& type = node.operand(i).type();
    if (type.kind != TypeKind::kScalar && !is_computable_tensor(type)) return false;
  }
  return true;
}

}  // namespace

bool is_number(const Constant& constant, double number) {
  if (is_floating(constant.dtype)) return constant.bits == std::bit_cast<uint64_t>(number);
  return static_cast<double>(static_cast<int64_t>(constant.bits)) == number &&
         !(number == 0 && std::signbit(number));
}

std::optional<Constant> constant_of(Node node, const OperandConstant& operands) {
  const OpRow* row = op_row(node);
  if (row == nullptr || !row->element || !is_computable_node(node)) return std::nullopt;
  ConstantContext context(node, operands);
  const Expr value = row->element(context);
  if (value.id == kNoExpr) return std::nullopt;
  const ExprNode& element = context.pool()[cast(value, node.type().dtype).id];
  if (element.op != ExprOp::kConst) return std::nullopt;
  return Constant{element.dtype, element.payload};
}

std::optional<ArgId> constant_argument(Context& context, const Constant& constant) {
  if (is_floating(constant.dtype)) return context.real(std::bit_cast<double>(constant.bits));
  const int64_t integer = static_cast<int64_t>(constant.bits);
  if (constant.dtype == Dtype::kBool) return context.boolean(integer != 0);
  if (constant.dtype == Dtype::kUInt64 && integer < 0) return std::nullopt;
  return context.integer(integer);
}

}  // namespace nfx
