// Sums, products, extrema and truth over dimensions.
#include "ops/reductions.h"

#include <algorithm>
#include <limits>

#include "ops/define.h"
#include "ops/type_rules.h"

namespace nfx {

std::vector<int64_t> reduced_dims(Node node, std::string_view name) {
  const size_t rank = node.operand(0).type().rank();
  std::vector<int64_t> dims;
  for (int64_t d : int_list(argument(node, name))) {
    if (rank > 0) dims.push_back(wrapped_dim(d, rank));
  }
  if (dims.empty()) {
    for (size_t d = 0; d < rank; ++d) dims.push_back(static_cast<int64_t>(d));
  }
  std::sort(dims.begin(), dims.end());
  dims.erase(std::unique(dims.begin(), dims.end()), dims.end());
  return dims;
}

std::vector<SymExprId> reduced_sizes(Node node, const std::vector<int64_t>& dims, bool keepdim) {
  std::vector<SymExprId> sizes;
  const auto own = node.operand(0).type().sizes;
  for (size_t d = 0; d < own.size(); ++d) {
    const bool reduced = std::binary_search(dims.begin(), dims.end(), static_cast<int64_t>(d));
    if (!reduced) sizes.push_back(own[d]);
    if (reduced && keepdim) sizes.push_back(sym_int(node.graph().context(), 1));
  }
  return sizes;
}

namespace {

using State = std::span<const Expr>;
using Values = std::vector<Expr>;
using DtypeRule = Dtype (*)(Node);

bool keeps(Node node) { return int_argument(node, "keepdim") != 0; }
Dtype input_dtype(Node node) { return node.operand(0).type().dtype; }

// Sums and products of integers are int64.
Dtype wide_dtype(Node node) {
  if (const auto given = dtype_argument(node, "dtype")) return *given;
  const Dtype own = input_dtype(node);
  return is_integral(own) || own == Dtype::kBool ? Dtype::kInt64 : own;
}

Dtype given_dtype(Node node) { return dtype_argument(node, "dtype").value_or(input_dtype(node)); }

Dtype truth_dtype(Node node) {
  return input_dtype(node) == Dtype::kUInt8 ? Dtype::kUInt8 : Dtype::kBool;
}

Dtype index_dtype(Node) { return Dtype::kInt64; }

TypeRule reduced_type(DtypeRule dtype) {
  return [dtype](Node node) -> Result<TypeId> {
    return dense_type(node, dtype(node), reduced_sizes(node, reduced_dims(node), keeps(node)));
  };
}

Fold fold_over(Node node, Dtype compute, std::vector<Dtype> state) {
  Fold fold;
  fold.dims = reduced_dims(node);
  fold.keepdim = keeps(node);
  fold.compute = compute;
  fold.input = node.operand(0);
  fold.state = std::move(state);
  return fold;
}

// One state component of the compute dtype, joined by one function.
using Join = Expr (*)(Expr, Expr);
using Start = Expr (*)(ExprPool&, Dtype);

Fold simple_fold(Node node, Dtype compute, Start start, Join join) {
  Fold fold = fold_over(node, compute, {compute});
  fold.init = [=](ExprPool& pool) { return Values{start(pool, compute)}; };
  fold.step = [=](State s, Expr x, Expr) { return Values{join(s[0], x)}; };
  fold.merge = [=](State s, State other) { return Values{join(s[0], other[0])}; };
  fold.finish = [](State s, Expr) { return Values{s[0]}; };
  return fold;
}

Expr zero(ExprPool& pool, Dtype dtype) { return literal(pool, dtype, 0); }
Expr one(ExprPool& pool, Dtype dtype) { return literal(pool, dtype, 1); }
Expr plus(Expr x, Expr y) { return x.dtype() == Dtype::kBool ? x | y : x + y; }
Expr times(Expr x, Expr y) { return x.dtype() == Dtype::kBool ? x & y : x * y; }
Expr larger(Expr x, Expr y) { return x.dtype() == Dtype::kBool ? x | y : max_nan(x, y); }
Expr smaller(Expr x, Expr y) { return x.dtype() == Dtype::kBool ? x & y : min_nan(x, y); }

int64_t largest_integer(Dtype dtype) {
  if (dtype == Dtype::kBool) return 1;
  const int bits = 8 * dtype_size(dtype);
  return is_signed(dtype) ? static_cast<int64_t>(~uint64_t{0} >> (65 - bits))
                          : (int64_t{1} << bits) - 1;
}

Expr least(ExprPool& pool, Dtype dtype) {
  if (is_floating(dtype)) return literal(pool, dtype, -std::numeric_limits<double>::infinity());
  const int64_t value = is_signed(dtype) && dtype != Dtype::kBool ? -largest_integer(dtype) - 1 : 0;
  return {&pool, pool.constant(dtype, value)};
}

Expr greatest(ExprPool& pool, Dtype dtype) {
  if (is_floating(dtype)) return literal(pool, dtype, std::numeric_limits<double>::infinity());
  return {&pool, pool.constant(dtype, largest_integer(dtype))};
}

FoldRule sum_rule() {
  return [](Node node) -> Result<Fold> {
    return simple_fold(node, arithmetic_dtype(wide_dtype(node)), zero, plus);
  };
}

FoldRule mean_rule() {
  return [](Node node) -> Result<Fold> {
    Fold fold = simple_fold(node, arithmetic_dtype(given_dtype(node)), zero, plus);
    fold.finish = [](State s, Expr count) { return Values{s[0] / cast(count, s[0].dtype())}; };
    return fold;
  };
}

FoldRule extremum_rule(Start start, Join join) {
  return [=](Node node) -> Result<Fold> {
    return simple_fold(node, arithmetic_dtype(input_dtype(node)), start, join);
  };
}

FoldRule truth_rule(Start start, Join join) {
  return [=](Node node) -> Result<Fold> {
    Fold fold = simple_fold(node, Dtype::kBool, start, join);
    const Dtype result = truth_dtype(node);
    fold.finish = [=](State s, Expr) { return Values{cast(s[0], result)}; };
    return fold;
  };
}

// Whether (x, at) goes before the state (best, where): NaN before any number,
// else the better value, among equals the first position. A position of -1 is
// that of no element.
Expr goes_before(bool want_max, Expr x, Expr at, Expr best, Expr where) {
  Expr better = want_max ? x > best : x < best;
  Expr equal = x == best;
  if (is_floating(x.dtype())) {
    better = better | (isnan(x) & !isnan(best));
    equal = equal | (isnan(x) & isnan(best));
  }
  return (at >= 0) & ((where < 0) | better | (equal & (at < where)));
}

Fold arg_fold(Node node, bool want_max) {
  const Dtype dtype = arithmetic_dtype(input_dtype(node));
  Fold fold = fold_over(node, dtype, {dtype, Dtype::kInt64});
  fold.init = [=](ExprPool& pool) {
    return Values{literal(pool, dtype, 0), {&pool, pool.constant(Dtype::kInt64, int64_t{-1})}};
  };
  auto join = [=](State s, Expr x, Expr at) {
    const Expr take = goes_before(want_max, x, at, s[0], s[1]);
    return Values{select(take, x, s[0]), select(take, at, s[1])};
  };
  fold.step = join;
  fold.merge = [=](State s, State other) { return join(s, other[0], other[1]); };
  fold.finish = [](State s, Expr) { return Values{s[1]}; };
  return fold;
}

FoldRule arg_rule(bool want_max) {
  return [=](Node node) -> Result<Fold> { return arg_fold(node, want_max); };
}

FoldRule value_and_index_rule(bool want_max) {
  return [=](Node node) -> Result<Fold> {
    Fold fold = arg_fold(node, want_max);
    fold.finish = [](State s, Expr) { return Values{s[0], s[1]}; };
    return fold;
  };
}

Result<TypeId> value_and_index_type(Node node) {
  NFX_ASSIGN(const TypeId values, reduced_type(input_dtype)(node));
  NFX_ASSIGN(const TypeId indices, reduced_type(index_dtype)(node));
  const TypeId elements[] = {values, indices};
  Type type;
  type.kind = TypeKind::kTuple;
  type.elements = elements;
  return node.graph().context().intern(type);
}

}  // namespace

NFX_OPS(sums) {
  op("aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor")
      .fold(sum_rule(), reduced_type(wide_dtype));
  op("aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, "
     "ScalarType? dtype=None) -> Tensor")
      .fold(sum_rule(), reduced_type(wide_dtype));
  op("aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor")
      .fold(mean_rule(), reduced_type(given_dtype));
  op("aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> "
     "Tensor")
      .fold(mean_rule(), reduced_type(given_dtype));
  auto product = [](Node node) -> Result<Fold> {
    return simple_fold(node, arithmetic_dtype(wide_dtype(node)), one, times);
  };
  op("aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor")
      .fold(product, reduced_type(wide_dtype));
  op("aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> "
     "Tensor")
      .fold(product, reduced_type(wide_dtype));
}

NFX_OPS(extrema) {
  op("aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor")
      .fold(extremum_rule(least, larger), reduced_type(input_dtype));
  op("aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor")
      .fold(extremum_rule(greatest, smaller), reduced_type(input_dtype));
  op("aten::max(Tensor self) -> Tensor")
      .fold(extremum_rule(least, larger), reduced_type(input_dtype));
  op("aten::min(Tensor self) -> Tensor")
      .fold(extremum_rule(greatest, smaller), reduced_type(input_dtype));
  op("aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)")
      .fold(value_and_index_rule(true), value_and_index_type);
  op("aten::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)")
      .fold(value_and_index_rule(false), value_and_index_type);
  op("aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor")
      .fold(arg_rule(true), reduced_type(index_dtype));
  op("aten::argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor")
      .fold(arg_rule(false), reduced_type(index_dtype));
}

NFX_OPS(truth) {
  const FoldRule any = truth_rule(zero, plus), all = truth_rule(one, times);
  op("aten::any(Tensor self) -> Tensor").fold(any, reduced_type(truth_dtype));
  op("aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor")
      .fold(any, reduced_type(truth_dtype));
  op("aten::any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor")
      .fold(any, reduced_type(truth_dtype));
  op("aten::all(Tensor self) -> Tensor").fold(all, reduced_type(truth_dtype));
  op("aten::all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor")
      .fold(all, reduced_type(truth_dtype));
  op("aten::all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor")
      .fold(all, reduced_type(truth_dtype));
}

}  // namespace nfx
