#include "loop/monoids.h"

#include <cassert>
#include <limits>

#include "expr/expr_math.h"

namespace nfx {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kNoIndex = std::numeric_limits<int64_t>::max();

Expr state(Expr like, uint64_t component) {
  return {like.pool, like.pool->leaf(ExprOp::kState, like.dtype(), component)};
}

Expr other(Expr like, uint64_t component) {
  return {like.pool, like.pool->leaf(ExprOp::kOther, like.dtype(), component)};
}

Expr infinity(Expr like) { return literal(like, kInfinity); }
Expr minus_infinity(Expr like) { return literal(like, -kInfinity); }

// Extremes of an integer dtype, as the bits that a constant holds.
int64_t largest_integer(Dtype dtype) {
  const int width = dtype_size(dtype) * 8;
  if (dtype == Dtype::kBool) return 1;
  if (!is_signed(dtype)) return static_cast<int64_t>(~uint64_t{0} >> (64 - width));
  return static_cast<int64_t>(~uint64_t{0} >> (65 - width));
}

int64_t smallest_integer(Dtype dtype) { return is_signed(dtype) ? -largest_integer(dtype) - 1 : 0; }

ExprId smallest(ExprPool& pool, Dtype dtype) {
  if (is_floating(dtype)) return pool.constant(dtype, -kInfinity);
  return pool.constant(dtype, smallest_integer(dtype));
}

ExprId largest(ExprPool& pool, Dtype dtype) {
  if (is_floating(dtype)) return pool.constant(dtype, kInfinity);
  return pool.constant(dtype, largest_integer(dtype));
}

struct SimpleRow {
  std::string_view name;
  ExprOp op;
  bool on_bool;  // folds bool, and nothing else
  ExprId (*neutral)(ExprPool& pool, Dtype dtype);
};

template <int kValue>
ExprId number(ExprPool& pool, Dtype dtype) {
  return literal(pool, dtype, kValue).id;
}

constexpr SimpleRow kSimple[] = {
    {"sum", ExprOp::kAdd, false, number<0>}, {"prod", ExprOp::kMul, false, number<1>},
    {"max", ExprOp::kMax, false, smallest},  {"min", ExprOp::kMin, false, largest},
    {"any", ExprOp::kOr, true, number<0>},   {"all", ExprOp::kAnd, true, number<1>},
};

bool has_state(const ExprPool& pool, ExprId id) {
  std::vector<bool> seen;
  std::vector<ExprId> order;
  append_post_order(pool, id, seen, order);
  for (ExprId node : order) {
    if (pool[node].op == ExprOp::kState || pool[node].op == ExprOp::kOther) return true;
  }
  return false;
}

bool is_leaf_of(const ExprNode& node, ExprOp op, Dtype dtype) {
  return node.op == op && node.dtype == dtype && node.payload == 0;
}

// State and result of an arg reduction: value, index.
Reduction arg_reduction(ExprOp better, Expr element, Expr index, ExprId worst) {
  const auto pick = [&](Expr value, Expr at, Expr new_value, Expr new_at) {
    Expr wins = binary(better, new_value, value);
    Expr equal = new_value == value;
    if (is_floating(value.dtype())) {
      wins = wins | (isnan(new_value) & !isnan(value));
      equal = equal | (isnan(new_value) & isnan(value));
    }
    const Expr take = wins | (equal & (new_at < at));
    return std::vector<ExprId>{select(take, new_value, value).id, select(take, new_at, at).id};
  };
  const Expr value = state(element, 0);
  const Expr at = state(index, 1);
  const Expr none = number_like(index, kNoIndex);
  Reduction result;
  result.init = {worst, none.id};
  result.step = pick(value, at, element, index);
  result.merge = pick(value, at, other(element, 0), other(index, 1));
  result.finish = {value.id, select(at == none, -1, at).id};
  return result;
}

// State: m = max so far, s = sum(exp(x - m)).
Reduction online_softmax(Expr x) {
  // A state rescaled to a larger maximum; equal infinities leave it as it is.
  const auto rescaled = [](Expr s, Expr m, Expr to) { return select(m == to, s, s * exp(m - to)); };
  const Expr m = state(x, 0);
  const Expr s = state(x, 1);
  const Expr other_m = other(x, 0);
  const Expr stepped = max_nan(m, x);
  const Expr merged = max_nan(m, other_m);
  // Before the first finite element x and m are -inf and their difference NaN.
  const Expr term = select(x == -kInfinity, 0, exp(x - stepped));
  Reduction result;
  result.init = {minus_infinity(x).id, literal(x, 0).id};
  result.step = {stepped.id, (rescaled(s, m, stepped) + term).id};
  result.merge = {merged.id, (rescaled(s, m, merged) + rescaled(other(x, 1), other_m, merged)).id};
  result.finish = {m.id, s.id};
  return result;
}

}  // namespace

std::optional<Reduction> make_simple_fold(std::string_view name, Expr element) {
  for (const SimpleRow& row : kSimple) {
    if (row.name != name) continue;
    const Dtype dtype = element.dtype();
    if (!is_computable(dtype) || row.on_bool != (dtype == Dtype::kBool)) return {};
    const Expr now = state(element, 0);
    Reduction result;
    result.init = {row.neutral(*element.pool, dtype)};
    result.step = {binary(row.op, now, element).id};
    result.merge = {binary(row.op, now, other(element, 0)).id};
    result.finish = {now.id};
    return result;
  }
  return {};
}

std::optional<SimpleFold> as_simple_fold(const ExprPool& pool, const Reduction& reduction) {
  if (reduction.init.size() != 1 || reduction.step.size() != 1 || reduction.merge.size() != 1 ||
      reduction.finish.size() != 1) {
    return {};
  }
  const ExprNode& init = pool[reduction.init[0]];
  const ExprNode& step = pool[reduction.step[0]];
  const ExprNode& merge = pool[reduction.merge[0]];
  const ExprId now = reduction.finish[0];
  if (!is_leaf_of(pool[now], ExprOp::kState, step.dtype) || arity(step.op) != 2) return {};
  if (step.operands[0] != now || merge.op != step.op || merge.operands[0] != now) return {};
  if (merge.operands[1] == kNoExpr || step.operands[1] == kNoExpr) return {};
  if (!is_leaf_of(pool[merge.operands[1]], ExprOp::kOther, step.dtype)) return {};
  if (has_state(pool, step.operands[1])) return {};
  for (const SimpleRow& row : kSimple) {
    if (row.op != step.op || row.on_bool != (step.dtype == Dtype::kBool)) continue;
    ExprPool scratch;
    if (init == scratch[row.neutral(scratch, step.dtype)]) {
      return SimpleFold{row.name, row.op, step.operands[1]};
    }
  }
  return {};
}

Reduction reduce_sum(Expr element) { return *make_simple_fold("sum", element); }
Reduction reduce_prod(Expr element) { return *make_simple_fold("prod", element); }
Reduction reduce_max(Expr element) { return *make_simple_fold("max", element); }
Reduction reduce_min(Expr element) { return *make_simple_fold("min", element); }
Reduction reduce_any(Expr element) { return *make_simple_fold("any", element); }
Reduction reduce_all(Expr element) { return *make_simple_fold("all", element); }

Reduction reduce_argmax(Expr element, Expr index) {
  return arg_reduction(ExprOp::kGt, element, index, smallest(*element.pool, element.dtype()));
}

Reduction reduce_argmin(Expr element, Expr index) {
  return arg_reduction(ExprOp::kLt, element, index, largest(*element.pool, element.dtype()));
}

Reduction reduce_softmax(Expr element) { return online_softmax(element); }

Reduction reduce_logsumexp(Expr element) {
  Reduction result = online_softmax(element);
  const Expr m = state(element, 0);
  const Expr s = state(element, 1);
  result.finish = {select(m == kInfinity, infinity(element), m + log(s)).id};
  return result;
}

Reduction reduce_welford(Expr x) {
  const Expr mean = state(x, 0);
  const Expr deviations = state(x, 1);
  const Expr count = state(x, 2);
  const Expr next_count = count + 1;
  const Expr next_mean = mean + (x - mean) / next_count;
  // Both halves may be empty; then nothing is divided by nothing.
  const Expr both = count + other(x, 2);
  const Expr share = other(x, 2) / max_nan(both, 1);
  const Expr apart = other(x, 0) - mean;
  const Expr spread = apart * apart * count * share;
  const Expr zero = literal(x, 0);
  Reduction result;
  result.init = {zero.id, zero.id, zero.id};
  result.step = {next_mean.id, (deviations + (x - mean) * (x - next_mean)).id, next_count.id};
  result.merge = {(mean + apart * share).id, (deviations + other(x, 1) + spread).id, both.id};
  result.finish = {mean.id, deviations.id, count.id};
  return result;
}

}  // namespace nfx
