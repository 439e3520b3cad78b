#include "expr/simplify.h"

#include <bit>
#include <cassert>

#include "expr/evaluate.h"

namespace nfx {
namespace {

using Simpler = std::optional<ExprId>;

bool is_constant(const ExprPool& pool, ExprId id) { return pool[id].op == ExprOp::kConst; }

bool is_integer_constant(const ExprPool& pool, ExprId id, int64_t value) {
  const ExprNode& node = pool[id];
  return node.op == ExprOp::kConst && !is_floating(node.dtype) &&
         static_cast<int64_t>(node.payload) == value;
}

// To the bit: 0.0 is not -0.0.
bool is_float_constant(const ExprPool& pool, ExprId id, double value) {
  const ExprNode& node = pool[id];
  return node.op == ExprOp::kConst && is_floating(node.dtype) &&
         node.payload == std::bit_cast<uint64_t>(value);
}

// Results that IEEE 754 fixes to the bit.
bool is_exact_on_floats(ExprOp op) {
  switch (op) {
    case ExprOp::kAdd:
    case ExprOp::kSub:
    case ExprOp::kMul:
    case ExprOp::kDiv:
    case ExprOp::kNeg:
    case ExprOp::kAbs:
    case ExprOp::kSqrt:
    case ExprOp::kMin:
    case ExprOp::kMax:
    case ExprOp::kCast:
    case ExprOp::kSelect:
    case ExprOp::kIsNan:
    case ExprOp::kIsInf: return true;
    default: return is_comparison(op);
  }
}

// 16-bit floats keep float precision between operations, a constant cannot.
bool is_half(Dtype dtype) { return is_floating(dtype) && dtype_size(dtype) == 2; }

Simpler fold_constants(ExprPool& pool, const ExprNode& node) {
  Value operands[3];
  for (int i = 0; i < arity(node.op); ++i) {
    if (!is_constant(pool, node.operands[i])) return {};
    operands[i] = constant_value(pool[node.operands[i]]);
  }
  const bool floats = is_floating(node.dtype) || is_floating(operands[0].dtype);
  if (floats && !is_exact_on_floats(node.op)) return {};
  if (is_half(node.dtype) && node.op != ExprOp::kCast) return {};
  const Value value = evaluate(node, operands);
  if (is_floating(node.dtype)) return pool.constant(node.dtype, value.number);
  return pool.constant(node.dtype, value.integer);
}

ExprId combine(ExprPool& pool, ExprOp op, ExprId x, ExprId y) {
  return pool.add({op, pool[x].dtype, {x, y, kNoExpr}});
}

// Constants of a sum stand outermost and on the right:
//   (x + 2) + 3 => x + 5      (x + 2) + y => (x + y) + 2
Simpler simplify_integer_add(ExprPool& pool, ExprId x, ExprId y) {
  if (is_integer_constant(pool, y, 0)) return x;
  if (is_constant(pool, x)) return combine(pool, ExprOp::kAdd, y, x);
  const ExprNode left = pool[x];
  const ExprNode right = pool[y];
  const bool left_has = left.op == ExprOp::kAdd && is_constant(pool, left.operands[1]);
  const bool right_has = right.op == ExprOp::kAdd && is_constant(pool, right.operands[1]);
  if (left_has && is_constant(pool, y)) {
    return combine(pool, ExprOp::kAdd, left.operands[0],
                   combine(pool, ExprOp::kAdd, left.operands[1], y));
  }
  if (left_has) {
    return combine(pool, ExprOp::kAdd, combine(pool, ExprOp::kAdd, left.operands[0], y),
                   left.operands[1]);
  }
  if (right_has) {
    return combine(pool, ExprOp::kAdd, combine(pool, ExprOp::kAdd, x, right.operands[0]),
                   right.operands[1]);
  }
  return {};
}

Simpler simplify_integer_sub(ExprPool& pool, ExprId x, ExprId y) {
  const Dtype dtype = pool[x].dtype;
  if (x == y) return pool.constant(dtype, int64_t{0});
  if (!is_constant(pool, y)) return {};
  const Value negated = evaluate_unary(ExprOp::kNeg, constant_value(pool[y]));
  return combine(pool, ExprOp::kAdd, x, pool.constant(dtype, negated.integer));
}

//   (x * 2) * 3 => x * 6      (x + 2) * 3 => x*3 + 6
Simpler simplify_integer_mul(ExprPool& pool, ExprId x, ExprId y) {
  if (is_constant(pool, x)) return combine(pool, ExprOp::kMul, y, x);
  if (!is_constant(pool, y)) return {};
  if (is_integer_constant(pool, y, 0)) return y;
  if (is_integer_constant(pool, y, 1)) return x;
  const ExprNode left = pool[x];
  const bool sum = left.op == ExprOp::kAdd;
  if ((!sum && left.op != ExprOp::kMul) || !is_constant(pool, left.operands[1])) return {};
  const ExprId scaled = combine(pool, ExprOp::kMul, left.operands[1], y);
  if (!sum) return combine(pool, ExprOp::kMul, left.operands[0], scaled);
  return combine(pool, ExprOp::kAdd, combine(pool, ExprOp::kMul, left.operands[0], y), scaled);
}

Simpler simplify_integer(ExprPool& pool, ExprOp op, ExprId x, ExprId y) {
  switch (op) {
    case ExprOp::kAdd: return simplify_integer_add(pool, x, y);
    case ExprOp::kSub: return simplify_integer_sub(pool, x, y);
    case ExprOp::kMul: return simplify_integer_mul(pool, x, y);
    case ExprOp::kDiv:
    case ExprOp::kFloorDiv: return is_integer_constant(pool, y, 1) ? Simpler(x) : Simpler();
    case ExprOp::kRemainder:
    case ExprOp::kFmod:
      if (is_integer_constant(pool, y, 1)) return pool.constant(pool[x].dtype, int64_t{0});
      return {};
    case ExprOp::kEq:
    case ExprOp::kLe:
    case ExprOp::kGe: return x == y ? Simpler(pool.constant(Dtype::kBool, int64_t{1})) : Simpler();
    case ExprOp::kNe:
    case ExprOp::kLt:
    case ExprOp::kGt: return x == y ? Simpler(pool.constant(Dtype::kBool, int64_t{0})) : Simpler();
    default: return {};
  }
}

// Signed zeros and NaN pass: x - 0.0, x + -0.0, x * 1.0 and x / 1.0 are x.
Simpler simplify_float(ExprPool& pool, ExprOp op, ExprId x, ExprId y) {
  switch (op) {
    case ExprOp::kAdd:
      if (is_float_constant(pool, y, -0.0)) return x;
      return is_float_constant(pool, x, -0.0) ? Simpler(y) : Simpler();
    case ExprOp::kSub: return is_float_constant(pool, y, 0.0) ? Simpler(x) : Simpler();
    case ExprOp::kMul:
      if (is_float_constant(pool, y, 1.0)) return x;
      return is_float_constant(pool, x, 1.0) ? Simpler(y) : Simpler();
    case ExprOp::kDiv: return is_float_constant(pool, y, 1.0) ? Simpler(x) : Simpler();
    default: return {};
  }
}

Simpler simplify_bool(ExprPool& pool, ExprOp op, ExprId x, ExprId y) {
  if (op != ExprOp::kAnd && op != ExprOp::kOr) return {};
  const int64_t neutral = op == ExprOp::kAnd;
  if (is_integer_constant(pool, x, neutral)) return y;
  if (is_integer_constant(pool, y, neutral)) return x;
  if (is_constant(pool, x)) return x;
  return is_constant(pool, y) ? Simpler(y) : Simpler();
}

bool is_idempotent(ExprOp op) {
  return op == ExprOp::kMin || op == ExprOp::kMax || op == ExprOp::kFmin || op == ExprOp::kFmax ||
         op == ExprOp::kAnd || op == ExprOp::kOr;
}

Simpler simplify_binary(ExprPool& pool, const ExprNode& node) {
  const ExprId x = node.operands[0];
  const ExprId y = node.operands[1];
  if (x == y && is_idempotent(node.op)) return x;
  const Dtype dtype = pool[x].dtype;
  if (is_floating(dtype)) return simplify_float(pool, node.op, x, y);
  if (dtype == Dtype::kBool) return simplify_bool(pool, node.op, x, y);
  return simplify_integer(pool, node.op, x, y);
}

Simpler simplify_unary(const ExprPool& pool, const ExprNode& node) {
  const ExprNode& inner = pool[node.operands[0]];
  const bool involution = node.op == ExprOp::kNeg || node.op == ExprOp::kNot;
  if (involution && inner.op == node.op) return inner.operands[0];
  // What was loaded or cast holds no more than the 16 bits.
  const bool is_narrow =
      !is_half(node.dtype) || inner.op == ExprOp::kLoad || inner.op == ExprOp::kCast;
  if (node.op == ExprOp::kCast && inner.dtype == node.dtype && is_narrow) {
    return node.operands[0];
  }
  return {};
}

Simpler simplify_select(const ExprPool& pool, const ExprNode& node) {
  const auto [condition, if_true, if_false] = node.operands;
  if (if_true == if_false) return if_true;
  if (is_integer_constant(pool, condition, 1)) return if_true;
  if (is_integer_constant(pool, condition, 0)) return if_false;
  return {};
}

// Ill-typed nodes are kept as they are for a verifier to report.
bool is_well_typed(const ExprPool& pool, const ExprNode& node) {
  for (int i = 0; i < arity(node.op); ++i) {
    if (node.operands[i] >= pool.size()) return false;
  }
  const Dtype first = pool[node.operands[0]].dtype;
  if (!applies_to(node.op, first) || !is_computable(node.dtype)) return false;
  if (node.op == ExprOp::kSelect) {
    return first == Dtype::kBool && pool[node.operands[1]].dtype == node.dtype &&
           pool[node.operands[2]].dtype == node.dtype;
  }
  if (node.op == ExprOp::kCast) return true;
  if (arity(node.op) == 2 && pool[node.operands[1]].dtype != first) return false;
  return node.dtype == (is_predicate(node.op) ? Dtype::kBool : first);
}

}  // namespace

std::optional<ExprId> simplify(ExprPool& pool, const ExprNode& node) {
  if (node.op == ExprOp::kLoad) {
    const bool always = node.operands[1] < pool.size() &&
                        is_integer_constant(pool, node.operands[1], 1) &&
                        pool[node.operands[1]].dtype == Dtype::kBool;
    if (!always) return {};
    return pool.load(static_cast<uint32_t>(node.payload), node.dtype, node.operands[0]);
  }
  if (is_leaf(node.op) || !is_well_typed(pool, node)) return {};
  if (auto folded = fold_constants(pool, node)) return folded;
  if (node.op == ExprOp::kSelect) return simplify_select(pool, node);
  if (arity(node.op) == 1) return simplify_unary(pool, node);
  return simplify_binary(pool, node);
}

}  // namespace nfx
