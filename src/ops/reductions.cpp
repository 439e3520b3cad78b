// Reductions over dimensions.
#include "ops/folds.h"
#include "ops/type_rules.h"

namespace nfx {
namespace {

Expr plus(Expr a, Expr b) { return a + b; }
Expr times(Expr a, Expr b) { return a * b; }
Expr either(Expr a, Expr b) { return a | b; }
Expr both(Expr a, Expr b) { return a & b; }

// Sums of integers and bools are int64 unless a dtype is given.
Dtype sum_dtype(Node node) {
  const Dtype own = node.operand(0).type().dtype;
  return dtype_argument(node, "dtype").value_or(is_floating(own) ? own : Dtype::kInt64);
}

// The type of one result of a fold.
TypeId result_type(Node node, const Fold& fold, Dtype dtype) {
  return dense_type(node, dtype, folded_sizes(fold));
}

TypeRule typed(FoldRule rule, Dtype (*dtype)(Node)) {
  return [rule = std::move(rule), dtype](Node node) -> Result<TypeId> {
    NFX_ASSIGN(const Fold fold, rule(node));
    return result_type(node, fold, dtype(node));
  };
}

Dtype own_dtype(Node node) { return node.operand(0).type().dtype; }
Dtype bool_dtype(Node) { return Dtype::kBool; }
Dtype index_dtype(Node) { return Dtype::kInt64; }

Result<Fold> sum(Node node) {
  Fold fold = fold_over(node, "dim");
  fold.compute = sum_dtype(node);
  simple_monoid(fold, 0, plus);
  return fold;
}

Result<Fold> mean(Node node) {
  NFX_ASSIGN(Fold fold, sum(node));
  fold.finish = [](std::span<const Expr> state, Expr count) {
    return std::vector{state[0] / cast(count, state[0].dtype())};
  };
  return fold;
}

Result<Fold> product(Node node) {
  Fold fold = fold_over(node, "dim");
  fold.compute = sum_dtype(node);
  simple_monoid(fold, 1, times);
  return fold;
}

template <bool kLargest>
Result<Fold> extreme(Node node) {
  Fold fold = fold_over(node, "dim");
  extreme_monoid(fold, kLargest);
  return fold;
}

template <bool kAll>
Result<Fold> truth(Node node) {
  Fold fold = fold_over(node, "dim");
  fold.compute = Dtype::kBool;
  simple_monoid(fold, kAll ? 1 : 0, kAll ? both : either);
  return fold;
}

template <bool kLargest>
Result<Fold> arg_extreme(Node node) {
  Fold fold = fold_over(node, "dim");
  arg_extreme_monoid(fold, kLargest);
  fold.finish = [](std::span<const Expr> state, Expr) { return std::vector{state[1]}; };
  return fold;
}

template <bool kLargest>
Result<Fold> extreme_with_index(Node node) {
  Fold fold = fold_over(node, "dim");
  arg_extreme_monoid(fold, kLargest);
  return fold;
}

Result<TypeId> extreme_with_index_type(Node node) {
  NFX_ASSIGN(const Fold fold, extreme_with_index<true>(node));
  const TypeId both_types[] = {result_type(node, fold, own_dtype(node)),
                               result_type(node, fold, Dtype::kInt64)};
  Type tuple;
  tuple.kind = TypeKind::kTuple;
  tuple.elements = both_types;
  return node.graph().context().intern(tuple);
}

// correction: n - correction divides the squared deviations; 1 by default.
double correction_of(Node node) {
  const ArgumentView given = argument(node, "correction");
  if (given && given.as_number()) return *given.as_number();
  const ArgumentView unbiased = argument(node, "unbiased");
  return unbiased ? static_cast<double>(unbiased.as_int().value_or(1)) : 1;
}

enum class Spread : uint8_t { kVar, kStd, kVarMean };

template <Spread kSpread>
Result<Fold> spread(Node node) {
  Fold fold = fold_over(node, "dim");
  welford_monoid(fold);
  fold.finish = [correction = correction_of(node)](std::span<const Expr> s, Expr) {
    const Expr divisor = max_nan(s[2] - correction, 0);
    const Expr var = s[1] / divisor;
    if (kSpread == Spread::kVarMean) return std::vector{var, s[0]};
    return std::vector{kSpread == Spread::kStd ? sqrt(var) : var};
  };
  return fold;
}

Result<TypeId> var_mean_type(Node node) {
  NFX_ASSIGN(const Fold fold, spread<Spread::kVarMean>(node));
  const TypeId both_types[] = {result_type(node, fold, own_dtype(node)),
                               result_type(node, fold, own_dtype(node))};
  Type tuple;
  tuple.kind = TypeKind::kTuple;
  tuple.elements = both_types;
  return node.graph().context().intern(tuple);
}

void row(std::string_view schema, FoldRule rule, Dtype (*dtype)(Node)) {
  op(schema).fold(rule, typed(rule, dtype));
}

}  // namespace

NFX_OPS(sums) {
  row("aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor", sum, sum_dtype);
  row("aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? "
      "dtype=None) -> Tensor",
      sum, sum_dtype);
  row("aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor", mean, sum_dtype);
  row("aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> "
      "Tensor",
      mean, sum_dtype);
  row("aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor", product, sum_dtype);
  row("aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> "
      "Tensor",
      product, sum_dtype);
}

NFX_OPS(extremes) {
  row("aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", extreme<true>,
      own_dtype);
  row("aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", extreme<false>,
      own_dtype);
  row("aten::max(Tensor self) -> Tensor", extreme<true>, own_dtype);
  row("aten::min(Tensor self) -> Tensor", extreme<false>, own_dtype);
  row("aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", arg_extreme<true>,
      index_dtype);
  row("aten::argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", arg_extreme<false>,
      index_dtype);
  op("aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)")
      .fold(extreme_with_index<true>, extreme_with_index_type);
  op("aten::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)")
      .fold(extreme_with_index<false>, extreme_with_index_type);
}

NFX_OPS(truths) {
  row("aten::any(Tensor self) -> Tensor", truth<false>, bool_dtype);
  row("aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor", truth<false>,
      bool_dtype);
  row("aten::any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", truth<false>,
      bool_dtype);
  row("aten::all(Tensor self) -> Tensor", truth<true>, bool_dtype);
  row("aten::all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor", truth<true>, bool_dtype);
  row("aten::all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", truth<true>,
      bool_dtype);
}

NFX_OPS(spreads) {
  row("aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool "
      "keepdim=False) -> Tensor",
      spread<Spread::kVar>, own_dtype);
  row("aten::std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool "
      "keepdim=False) -> Tensor",
      spread<Spread::kStd>, own_dtype);
  op("aten::var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool "
     "keepdim=False) -> "
     "(Tensor, Tensor)")
      .fold(spread<Spread::kVarMean>, var_mean_type);
}

}  // namespace nfx
