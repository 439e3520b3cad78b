#include "loop/random_kernel_builder.h"

namespace nfx {
namespace {

const std::vector<Dtype> kDtypes = {Dtype::kFloat32, Dtype::kFloat32, Dtype::kFloat32,
                                    Dtype::kFloat64, Dtype::kInt64,   Dtype::kInt32,
                                    Dtype::kBool};
const std::vector<Dtype> kFloats = {Dtype::kFloat32, Dtype::kFloat32, Dtype::kFloat64};

}  // namespace

// Free of rounding: a load, a constant, a position.
Expr RandomKernelBuilder::exact(Dtype dtype) {
  if (chance(20)) return cast(load(pick(kDtypes)), dtype);
  if (chance(10) && !visible_.empty()) return cast(k_.index(pick(visible_).dim), dtype);
  if (chance(15)) {
    const auto small = static_cast<double>(below(7) - 3);
    return cast(k_.constant(Dtype::kFloat64, small), dtype);
  }
  return load(dtype);
}

Expr RandomKernelBuilder::expression(Dtype dtype, int depth) {
  if (dtype == Dtype::kBool) return condition(depth);
  if (depth == 0) {
    if (!reduced_.empty() && is_floating(dtype) && chance(50)) return cast(pick(reduced_), dtype);
    return exact(dtype);
  }
  if (chance(10)) {
    return select(condition(depth - 1), expression(dtype, depth - 1), expression(dtype, depth - 1));
  }
  return is_floating(dtype) ? float_expression(dtype, depth) : integer_expression(dtype, depth);
}

// Kept near one, so that sums of them keep their digits.
Expr RandomKernelBuilder::float_expression(Dtype dtype, int depth) {
  const Expr x = expression(dtype, depth - 1);
  if (chance(40)) return float_unary(x);
  if (chance(10)) return cast(expression(pick(kFloats), depth - 1), dtype);
  const Expr y = expression(dtype, depth - 1);
  switch (below(9)) {
    case 0:
    case 1: return x + y;
    case 2: return x - y;
    case 3:
    case 4: return x * y;
    case 5: return x / (abs(y) + 1);
    case 6: return max_nan(x, y);
    case 7: return min_nan(x, y);
    default: return fmax(x, exact(dtype));
  }
}

Expr RandomKernelBuilder::float_unary(Expr x) {
  const Dtype dtype = x.dtype();
  switch (below(14)) {
    case 0: return -x;
    case 1: return abs(x);
    case 2: return exp(min_nan(x, 1));
    case 3: return log1p(abs(x));
    case 4: return tanh(x);
    case 5: return sigmoid(x);
    case 6: return sqrt(abs(x) + 1);
    case 7: return rsqrt(abs(x) + 1);
    case 8: return erf(x);
    case 9: return floor(exact(dtype)) + x;
    case 10: return sign(exact(dtype)) * x;
    case 11: return log(abs(x) + 0.5);
    case 12: return round(exact(dtype));
    default: return cast(isnan(exact(dtype)), dtype) - x;
  }
}

Expr RandomKernelBuilder::integer_expression(Dtype dtype, int depth) {
  const Expr x = expression(dtype, depth - 1);
  const Expr y = expression(dtype, depth - 1);
  switch (below(13)) {
    case 0:
    case 1: return x + y;
    case 2: return x - y;
    case 3: return x * y;
    case 4: return floordiv(x, y);
    case 5: return remainder(x, y);
    case 6: return min_nan(x, y);
    case 7: return max_nan(x, y);
    case 8: return x & y;
    case 9: return x ^ y;
    case 10: return x << (y & 7);
    case 11: return x >> (y & 7);
    default: return x / y;
  }
}

Expr RandomKernelBuilder::condition(int depth) {
  if (depth <= 0 || chance(30)) {
    if (chance(30)) return load(Dtype::kBool);
    const Dtype dtype = pick(kDtypes);
    const Expr x = exact(dtype);
    const Expr y = exact(dtype);
    switch (below(6)) {
      case 0: return x < y;
      case 1: return x <= y;
      case 2: return x > y;
      case 3: return x >= y;
      case 4: return x == y;
      default: return x != y;
    }
  }
  const Expr p = condition(depth - 1);
  switch (below(4)) {
    case 0: return !p;
    case 1: return p & condition(depth - 1);
    case 2: return p | condition(depth - 1);
    default: return p ^ condition(depth - 1);
  }
}

Reduction RandomKernelBuilder::reduction() {
  const Dtype dtype = pick(kDtypes);
  if (dtype == Dtype::kBool) {
    return chance(50) ? reduce_any(condition(1)) : reduce_all(condition(1));
  }
  if (chance(15) && !visible_.empty()) {
    const Expr element = exact(dtype);
    const Expr position = k_.index(visible_.back().dim);
    return chance(50) ? reduce_argmax(element, position) : reduce_argmin(element, position);
  }
  const Expr element = expression(dtype, static_cast<int>(below(3)));
  if (chance(30) && is_floating(dtype)) return float_reduction(element);
  switch (below(is_floating(dtype) ? 3 : 4)) {
    case 0: return reduce_sum(element);
    case 1: return reduce_max(element);
    case 2: return reduce_min(element);
    default: return reduce_prod(element);
  }
}

Reduction RandomKernelBuilder::float_reduction(Expr element) {
  switch (below(3)) {
    case 0: return reduce_logsumexp(element);
    case 1: return reduce_softmax(element);
    default: return reduce_welford(element);
  }
}

}  // namespace nfx
