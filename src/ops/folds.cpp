#include "ops/folds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ops/type_rules.h"

namespace nfx {
namespace {

// The smallest or largest value of a dtype.
Expr bound(ExprPool& pool, Dtype dtype, bool smallest) {
  if (is_floating(dtype)) {
    const double inf = std::numeric_limits<double>::infinity();
    return literal(pool, dtype, smallest ? -inf : inf);
  }
  if (dtype == Dtype::kBool) return {&pool, pool.constant(dtype, int64_t{smallest ? 0 : 1})};
  const int bits = 8 * dtype_size(dtype) - (is_signed(dtype) ? 1 : 0);
  const int64_t largest = static_cast<int64_t>((uint64_t{1} << bits) - 1);
  const int64_t lowest = is_signed(dtype) ? -largest - 1 : 0;
  return {&pool, pool.constant(dtype, smallest ? lowest : largest)};
}

// Whether candidate a beats b: NaN first, then the value, then the earlier position.
Expr beats(Expr a, Expr a_at, Expr b, Expr b_at, bool largest) {
  const Expr better = largest ? a > b : a < b;
  const Expr tie = (a == b) & (a_at < b_at);
  if (!is_floating(a.dtype())) return better | tie;
  const Expr both_nan = isnan(a) & isnan(b) & (a_at < b_at);
  return (isnan(a) & !isnan(b)) | both_nan | (better & !isnan(b)) | tie;
}

std::vector<Expr> choose(std::span<const Expr> a, std::span<const Expr> b, bool largest) {
  const Expr first = beats(a[0], a[1], b[0], b[1], largest);
  return {select(first, a[0], b[0]), select(first, a[1], b[1])};
}

}  // namespace

void simple_monoid(Fold& fold, double start, Join2 join) {
  const Dtype dtype = fold.compute;
  fold.state = {dtype};
  fold.init = [dtype, start](ExprPool& pool) { return std::vector{literal(pool, dtype, start)}; };
  fold.step = [join](std::span<const Expr> state, Expr x, Expr) {
    return std::vector{join(state[0], x)};
  };
  fold.merge = [join](std::span<const Expr> a, std::span<const Expr> b) {
    return std::vector{join(a[0], b[0])};
  };
  fold.finish = [](std::span<const Expr> state, Expr) { return std::vector{state[0]}; };
}

void extreme_monoid(Fold& fold, bool largest) {
  simple_monoid(fold, 0,
                largest ? Join2([](Expr a, Expr b) { return max_nan(a, b); })
                        : Join2([](Expr a, Expr b) { return min_nan(a, b); }));
  fold.init = [dtype = fold.compute, largest](ExprPool& pool) {
    return std::vector{bound(pool, dtype, largest)};
  };
}

void arg_extreme_monoid(Fold& fold, bool largest) {
  fold.state = {fold.compute, Dtype::kInt64};
  fold.init = [dtype = fold.compute, largest](ExprPool& pool) {
    const Expr nowhere{&pool, pool.constant(Dtype::kInt64, std::numeric_limits<int64_t>::max())};
    return std::vector{bound(pool, dtype, largest), nowhere};
  };
  fold.step = [largest](std::span<const Expr> state, Expr x, Expr position) {
    const Expr candidate[] = {x, position};
    return choose(candidate, state, largest);
  };
  fold.merge = [largest](std::span<const Expr> a, std::span<const Expr> b) {
    return choose(b, a, largest);
  };
  fold.finish = [](std::span<const Expr> state, Expr) { return std::vector{state[0], state[1]}; };
}

void welford_monoid(Fold& fold) {
  const Dtype dtype = fold.compute;
  fold.state = {dtype, dtype, dtype};
  fold.init = [dtype](ExprPool& pool) { return std::vector<Expr>(3, literal(pool, dtype, 0)); };
  fold.step = [](std::span<const Expr> s, Expr x, Expr) {
    const Expr count = s[2] + 1.0;
    const Expr delta = x - s[0];
    const Expr mean = s[0] + delta / count;
    return std::vector{mean, s[1] + delta * (x - mean), count};
  };
  fold.merge = [](std::span<const Expr> a, std::span<const Expr> b) {
    const Expr count = a[2] + b[2];
    const Expr share = select(count == 0.0, 0.0, b[2] / count);
    const Expr delta = b[0] - a[0];
    return std::vector{a[0] + delta * share, a[1] + b[1] + delta * delta * a[2] * share, count};
  };
}

Fold fold_over(Node node, std::string_view dims_name) {
  Fold fold;
  fold.input = node.operand(0);
  const size_t rank = fold.input.type().rank();
  const ArgumentView dims = argument(node, dims_name);
  fold.dims = int_list(dims);
  for (int64_t& dim : fold.dims) dim = wrapped_dim(dim, rank);
  if (fold.dims.empty()) {
    fold.dims.resize(rank);
    std::iota(fold.dims.begin(), fold.dims.end(), int64_t{0});
  }
  std::sort(fold.dims.begin(), fold.dims.end());
  if (rank == 0) fold.dims.clear();
  fold.keepdim = int_argument(node, "keepdim") != 0;
  fold.compute = fold.input.type().dtype;
  return fold;
}

std::vector<SymExprId> folded_sizes(const Fold& fold) {
  Context& context = fold.input.graph().context();
  const auto sizes = fold.input.type().sizes;
  std::vector<SymExprId> result;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const bool gone =
        std::binary_search(fold.dims.begin(), fold.dims.end(), static_cast<int64_t>(d));
    if (!gone) result.push_back(sizes[d]);
    if (gone && fold.keepdim) result.push_back(sym_int(context, 1));
  }
  return result;
}

}  // namespace nfx
