#include "expr/expr_op.h"

#include <array>

namespace nfx {
namespace {

struct Row {
  std::string_view name;
  int arity;
};

constexpr std::array kRows = {
#define NFX_EXPR_ROW(op, text, arity) Row{text, arity},
    NFX_EXPR_OPS(NFX_EXPR_ROW)
#undef NFX_EXPR_ROW
};

const Row& row(ExprOp op) { return kRows[static_cast<size_t>(op)]; }

bool is_between(ExprOp op, ExprOp first, ExprOp last) { return first <= op && op <= last; }

bool is_bitwise(ExprOp op) {
  return op == ExprOp::kNot || is_between(op, ExprOp::kAnd, ExprOp::kXor);
}

bool is_shift(ExprOp op) { return op == ExprOp::kShl || op == ExprOp::kShr; }

bool wants_floating(ExprOp op) {
  return is_between(op, ExprOp::kSqrt, ExprOp::kLgamma) ||
         is_between(op, ExprOp::kAtan2, ExprOp::kNextafter);
}

}  // namespace

std::string_view name(ExprOp op) { return row(op).name; }

std::optional<ExprOp> expr_op_from_name(std::string_view name) {
  for (size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].name == name) return static_cast<ExprOp>(i);
  }
  return std::nullopt;
}

int arity(ExprOp op) { return row(op).arity; }
bool is_leaf(ExprOp op) { return op <= ExprOp::kOther; }
bool is_comparison(ExprOp op) { return is_between(op, ExprOp::kEq, ExprOp::kGe); }

bool is_predicate(ExprOp op) {
  return is_comparison(op) || op == ExprOp::kIsNan || op == ExprOp::kIsInf;
}

bool applies_to(ExprOp op, Dtype operand) {
  if (!is_computable(operand)) return false;
  if (wants_floating(op)) return is_floating(operand);
  if (is_bitwise(op)) return !is_floating(operand);
  if (is_shift(op)) return is_integral(operand);
  if (operand != Dtype::kBool) return true;
  return is_comparison(op) || is_between(op, ExprOp::kMin, ExprOp::kFmax) || op == ExprOp::kCast ||
         op == ExprOp::kSelect || op <= ExprOp::kLoad;
}

bool is_computable(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat16:
    case Dtype::kBFloat16:
    case Dtype::kFloat32:
    case Dtype::kFloat64:
    case Dtype::kBool: return true;
    default: return is_integral(dtype);
  }
}

}  // namespace nfx
