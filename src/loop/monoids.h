// The usual reductions, each made from the element that it folds.
//
// All follow PyTorch: NaN wins over every number in max, min, argmax and argmin;
// of equal elements the first counts, in whatever order partial results merge.
#pragma once
#include <optional>
#include <string_view>

#include "loop/kernel.h"

namespace nfx {

// One state of the element's dtype; one result.
Reduction reduce_sum(Expr element);
Reduction reduce_prod(Expr element);
Reduction reduce_max(Expr element);  // of nothing: -inf, or the smallest integer
Reduction reduce_min(Expr element);  // of nothing: inf, or the largest integer
Reduction reduce_any(Expr element);  // bool
Reduction reduce_all(Expr element);  // bool

// Results: the extreme element, its index (int64). `index` must grow in the
// order that ties are decided by. Of nothing: as max or min, and -1.
Reduction reduce_argmax(Expr element, Expr index);
Reduction reduce_argmin(Expr element, Expr index);

// log(sum(exp(x))) without overflow. Of nothing: -inf.
Reduction reduce_logsumexp(Expr element);

// Results: m = max(x) and s = sum(exp(x - m)), in one pass; softmax is
// exp(x - m)/s, NaN for a row of only -inf as in PyTorch.
// Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018.
Reduction reduce_softmax(Expr element);

// Results: mean, sum of squared deviations from it, count (in x's dtype).
// Chan, Golub and LeVeque, "Updating formulae", 1979.
Reduction reduce_welford(Expr element);

// A reduction of one state whose step and merge are a single operation.
struct SimpleFold {
  std::string_view name;  // sum, prod, max, min, any, all
  ExprOp op;
  ExprId element;
};

// Recognises what the first six constructors make, to the bit.
std::optional<SimpleFold> as_simple_fold(const ExprPool& pool, const Reduction& reduction);

// The inverse, by name. Nothing if there is no such fold for the element's dtype.
std::optional<Reduction> make_simple_fold(std::string_view name, Expr element);

}  // namespace nfx
