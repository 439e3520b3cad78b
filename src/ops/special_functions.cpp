// Functions with a hole, a limit or a case in them, as PyTorch computes them.
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "ops/define.h"

namespace nfx {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// sin(pi x) / (pi x), 1 at 0
Expr sinc(Expr x) {
  const Expr turn = x * kPi;
  return select(x == 0, 1, sin(turn) / turn);
}

std::optional<double> epsilon(ElementContext& context) {
  const ArgumentView eps = argument(context.node(), "eps");
  return eps && !eps.is_none() ? eps.as_number() : std::nullopt;
}

Expr logit(ElementContext& context, Expr x) {
  if (const std::optional<double> eps = epsilon(context)) {
    x = select(x < *eps, *eps, select(x > 1.0 - *eps, 1.0 - *eps, x));
  }
  return log(x / (1.0 - x));
}

Expr logit_backward(ElementContext& context, Expr grad, Expr x) {
  const std::optional<double> eps = epsilon(context);
  const Expr outside = eps ? (x < *eps) | (x > 1.0 - *eps) : (x < 0) | (x > 1);
  const Expr slope = select((x == 0) | (x == 1), grad * kInfinity, grad / (x * (1.0 - x)));
  return select(outside, eps ? 0.0 : kNan, slope);
}

Expr entropy(Expr x) {
  const Expr inside = select(x > 0, -x * log(x), select(x == 0, literal(x, 0), -kInfinity));
  return select(isnan(x), x, inside);
}

// x times a logarithm of y: 0 where x is, whatever the logarithm, but NaN where y is
Expr times_log(Expr x, Expr y, Expr logarithm) {
  return select(isnan(y), y, select(x == 0, 0, x * logarithm));
}

// log(exp(x) + exp(y)), by the larger one
Expr log_of_sum(Expr x, Expr y, Expr (*log_of_one_plus_power)(Expr)) {
  const Expr sum = max_nan(x, y) + log_of_one_plus_power(-abs(x - y));
  return select(isinf(x) & (x == y), x, sum);
}

double limit(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat16: return 65504;
    case Dtype::kBFloat16: return 0x1.fep127;
    case Dtype::kFloat32: return std::numeric_limits<float>::max();
    default: return std::numeric_limits<double>::max();
  }
}

Expr nan_to_num(ElementContext& context, Expr x) {
  const Dtype dtype = promoted_dtype(context.node());
  if (!is_floating(dtype)) return x;
  auto given = [&](std::string_view name, double otherwise) {
    const ArgumentView view = argument(context.node(), name);
    return literal(x, view && !view.is_none() ? view.as_number().value_or(otherwise) : otherwise);
  };
  const Expr above = given("posinf", limit(dtype)), below = given("neginf", -limit(dtype));
  const Expr number = select(x == kInfinity, above, select(x == -kInfinity, below, x));
  return select(isnan(x), given("nan", 0), number);
}

// Rounds at a decimal place.
Expr round_decimals(ElementContext& context, Expr x) {
  const int64_t decimals = int_argument(context.node(), "decimals");
  if (!is_floating(x.dtype())) return x;
  if (decimals == 0) return round(x);
  const double power = std::pow(10.0, static_cast<double>(std::abs(decimals)));
  return decimals < 0 ? round(x / power) * power : round(x * power) / power;
}

Expr polynomial(Expr x, std::span<const double> highest_first) {
  Expr sum = literal(x, highest_first[0]);
  for (const double c : highest_first.subspan(1)) sum = sum * x + c;
  return sum;
}

// The logarithmic derivative of the gamma function: reflected to the right half,
// moved up by its recurrence, then the asymptotic series of Bernoulli numbers
// (Abramowitz and Stegun 6.3.5, 6.3.7, 6.3.18).
Expr digamma(Expr x) {
  constexpr int kSteps = 10;
  constexpr std::array kBernoulli = {1.0 / 12,  -691.0 / 32760, 1.0 / 132, -1.0 / 240,
                                     1.0 / 252, -1.0 / 120,     1.0 / 12};
  const Expr reflected = x < 0;
  Expr y = select(reflected, 1.0 - x, x);
  Expr sum = literal(x, 0);
  for (int step = 0; step < kSteps; ++step) {
    const Expr low = y < kSteps;
    sum = select(low, sum - 1.0 / y, sum);
    y = select(low, y + 1.0, y);
  }
  const Expr inverse = 1.0 / (y * y);
  const Expr tail = select(y < 1e17, inverse * polynomial(inverse, kBernoulli), 0);
  const Expr right = sum + log(y) - 0.5 / y - tail;
  const Expr fraction = x - trunc(x);
  const Expr left = right - kPi / tan(fraction * kPi);
  const Expr pole = select(x == 0, copysign(literal(x, kInfinity), -x), kNan);
  const Expr value = select(reflected, left, right);
  return select((x <= 0) & (fraction == 0), pole, value);
}

// Starts from Giles's approximation ("Approximating the erfinv function", 2010, the
// single precision one), which two steps of Newton make exact.
Expr inverse_erf(Expr y) {
  constexpr std::array kCentre = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                  -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                  -0.00417768164,  0.246640727,    1.50140941};
  constexpr std::array kTail = {-0.000200214257, 0.000100950558, 0.00134934322,
                                -0.00367342844,  0.00573950773,  -0.0076224613,
                                0.00943887047,   1.00167406,     2.83297682};
  const Expr w = -log((1.0 - y) * (1.0 + y));
  Expr x = y * select(w < 5, polynomial(w - 2.5, kCentre), polynomial(sqrt(w) - 3.0, kTail));
  for (int step = 0; step < 2; ++step) {
    x = x - (erf(x) - y) / (2.0 / std::sqrt(kPi) * exp(-x * x));
  }
  const Expr end = select(abs(y) == 1, y * kInfinity, kNan);
  return select(abs(y) < 1, x, select(isnan(y), y, end));
}

}  // namespace

#define NFX_FLOAT_MATH(name, expression)                                                         \
  op("aten::" name "(Tensor self) -> Tensor").pointwise(Promote::kIntToFloat).value([](Expr x) { \
    return expression;                                                                           \
  })

NFX_OPS(special_functions) {
  NFX_FLOAT_MATH("sinc", sinc(x));
  NFX_FLOAT_MATH("deg2rad", x * (kPi / 180));
  NFX_FLOAT_MATH("rad2deg", x * (180 / kPi));
  NFX_FLOAT_MATH("digamma", digamma(x));
  NFX_FLOAT_MATH("erfinv", inverse_erf(x));
  NFX_FLOAT_MATH("special_entr", entropy(x));
  NFX_FLOAT_MATH("special_ndtr", (1.0 + erf(x * std::sqrt(0.5))) * 0.5);
  NFX_FLOAT_MATH("angle", select(isnan(x), x, select(x < 0, literal(x, kPi), 0)));
  op("aten::logit(Tensor self, float? eps=None) -> Tensor")
      .pointwise(Promote::kIntToFloat)
      .value([](ElementContext& c, Expr x) { return logit(c, x); });
  op("aten::logit_backward(Tensor grad_output, Tensor self, float? eps=None) -> Tensor")
      .pointwise()
      .value([](ElementContext& c, Expr grad, Expr x) { return logit_backward(c, grad, x); });
  op("aten::nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> "
     "Tensor")
      .pointwise()
      .value([](ElementContext& c, Expr x) { return nan_to_num(c, x); });
  op("aten::round.decimals(Tensor self, *, int decimals) -> Tensor")
      .pointwise()
      .value([](ElementContext& c, Expr x) { return round_decimals(c, x); });
}

NFX_OPS(logarithmic_functions) {
  auto x_log_y = [](Expr x, Expr y) { return times_log(x, y, log(y)); };
  auto x_log1p_y = [](Expr x, Expr y) { return times_log(x, y, log1p(y)); };
  for (const char* schema : {"aten::xlogy.Tensor(Tensor self, Tensor other) -> Tensor",
                             "aten::xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor",
                             "aten::xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor"}) {
    op(schema).pointwise(Promote::kIntToFloat).value(x_log_y);
  }
  for (const char* schema :
       {"aten::special_xlog1py(Tensor self, Tensor other) -> Tensor",
        "aten::special_xlog1py.other_scalar(Tensor self, Scalar other) -> Tensor",
        "aten::special_xlog1py.self_scalar(Scalar self, Tensor other) -> Tensor"}) {
    op(schema).pointwise(Promote::kIntToFloat).value(x_log1p_y);
  }
  op("aten::logaddexp(Tensor self, Tensor other) -> Tensor").pointwise().value([](Expr x, Expr y) {
    return log_of_sum(x, y, [](Expr d) { return log1p(exp(d)); });
  });
  op("aten::logaddexp2(Tensor self, Tensor other) -> Tensor").pointwise().value([](Expr x, Expr y) {
    return log_of_sum(x, y, [](Expr d) { return log1p(exp2(d)) * std::numbers::log2e; });
  });
}

NFX_OPS(steps_and_signs) {
  op("aten::heaviside(Tensor self, Tensor values) -> Tensor")
      .pointwise()
      .value([](Expr x, Expr at_zero) {
        if (x.dtype() == Dtype::kBool) return x | at_zero;
        return select(x == 0, at_zero, cast(x > 0, x.dtype()));
      });
  op("aten::nextafter(Tensor self, Tensor other) -> Tensor").pointwise().value([](Expr x, Expr y) {
    return nextafter(x, y);
  });
  auto is_value = [](double value) {
    return [value](Expr x) {
      return is_floating(x.dtype()) ? x == value : cast(literal(x, 0), Dtype::kBool);
    };
  };
  op("aten::isposinf(Tensor self) -> Tensor")
      .pointwise(Promote::kBoolResult)
      .value(is_value(kInfinity));
  op("aten::isneginf(Tensor self) -> Tensor")
      .pointwise(Promote::kBoolResult)
      .value(is_value(-kInfinity));
}

#undef NFX_FLOAT_MATH

}  // namespace nfx
