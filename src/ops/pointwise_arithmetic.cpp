// Sums, products, quotients, powers, minima and maxima.
#include "ops/define.h"
#include "ops/type_rules.h"

namespace nfx {
namespace {

// alpha is a number: PyTorch casts it to the compute dtype before multiplying.
Expr alpha(ElementContext& context, Expr like) {
  return number_argument(context, "alpha", like.dtype());
}

Expr scaled(ElementContext& context, Expr x) {
  const ArgumentView given = argument(context.node(), "alpha");
  if (given.as_number() == 1.0) return x;
  return x * alpha(context, x);
}

// A quotient with a rounding mode stays integral.
Expr rounded_quotient(ElementContext& context, Expr x, Expr y) {
  const std::string_view mode = string_argument(context.node(), "rounding_mode");
  if (mode == "floor") return floordiv(x, y);
  if (mode == "trunc") return is_floating(x.dtype()) ? trunc(x / y) : x / y;
  return x / y;
}

// PyTorch raises where an integer is divided by zero, which a kernel does not see.
std::string zero_problem(Node node) {
  if (is_floating(promoted_dtype(node))) return "";
  const ArgumentView divisor = argument(node, 1);
  if (const std::optional<double> number = divisor.as_number()) {
    return *number != 0 ? "" : "its divisor is zero";
  }
  const std::optional<SymExprId> size = sym_argument(node, divisor);
  const bool positive = size && range_of(node.graph().context(), *size).lower > 0;
  return positive ? "" : "its integer divisor may be zero";
}

// PyTorch computes these exponents without pow.
Expr power_of_number(ElementContext& context, Expr x) {
  const ArgumentView exponent = argument(context.node(), "exponent");
  const std::optional<double> e = exponent.as_number();
  if (e == 2.0) return x * x;
  if (e == 1.0) return x;
  if (e == 0.0) return literal(x, 1);
  if (e == 3.0) return x * x * x;
  if (is_floating(x.dtype())) {
    if (e == 0.5) return sqrt(x);
    if (e == -0.5) return rsqrt(x);
    if (e == -1.0) return 1.0 / x;
    if (e == -2.0) return 1.0 / (x * x);
  }
  return pow(x, context.number(exponent, x.dtype()));
}

}  // namespace

NFX_OPS(arithmetic) {
  op("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")
      .pointwise()
      .commutative()
      .value([](ElementContext& c, Expr x, Expr y) {
        return x.dtype() == Dtype::kBool ? x | y : x + scaled(c, y);
      });
  op("aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor")
      .pointwise()
      .value([](ElementContext& c, Expr x, Expr y) {
        return x.dtype() == Dtype::kBool ? x | y : x + scaled(c, y);
      });
  op("aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")
      .pointwise()
      .value([](ElementContext& c, Expr x, Expr y) { return x - scaled(c, y); });
  op("aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor")
      .pointwise()
      .value([](ElementContext& c, Expr x, Expr y) { return x - scaled(c, y); });
  op("aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")
      .pointwise()
      .value([](ElementContext& c, Expr x, Expr y) { return y - scaled(c, x); });
  op("aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor")
      .pointwise()
      .value([](ElementContext& c, Expr x, Expr y) { return y - scaled(c, x); });
  auto product = [](Expr x, Expr y) { return x.dtype() == Dtype::kBool ? x & y : x * y; };
  op("aten::mul.Tensor(Tensor self, Tensor other) -> Tensor")
      .pointwise()
      .commutative()
      .wide_numbers()
      .value(product);
  op("aten::mul.Scalar(Tensor self, Scalar other) -> Tensor")
      .pointwise()
      .wide_numbers()
      .value(product);
}

NFX_OPS(quotients) {
  auto rounded_quotient_rule = [](ElementContext& c, Expr x, Expr y) {
    return rounded_quotient(c, x, y);
  };
  auto divide = [](Expr x, Expr y) { return x / y; };
  op("aten::div.Tensor(Tensor self, Tensor other) -> Tensor")
      .pointwise(Promote::kIntToFloat)
      .wide_numbers()
      .value(divide);
  op("aten::div.Scalar(Tensor self, Scalar other) -> Tensor")
      .pointwise(Promote::kIntToFloat)
      .wide_numbers()
      .value(divide);
  op("aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor")
      .pointwise(Promote::kQuotient)
      .refuses(zero_problem)
      .value(rounded_quotient_rule);
  op("aten::div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor")
      .pointwise(Promote::kQuotient)
      .refuses(zero_problem)
      .value(rounded_quotient_rule);
  op("aten::floor_divide(Tensor self, Tensor other) -> Tensor")
      .pointwise()
      .refuses(zero_problem)
      .value([](Expr x, Expr y) { return floordiv(x, y); });
  op("aten::floor_divide.Scalar(Tensor self, Scalar other) -> Tensor")
      .pointwise()
      .refuses(zero_problem)
      .value([](Expr x, Expr y) { return floordiv(x, y); });
}

NFX_OPS(remainders) {
  auto modulo = [](Expr x, Expr y) { return remainder(x, y); };
  op("aten::remainder.Tensor(Tensor self, Tensor other) -> Tensor")
      .pointwise()
      .refuses(zero_problem)
      .value(modulo);
  op("aten::remainder.Scalar(Tensor self, Scalar other) -> Tensor")
      .pointwise()
      .refuses(zero_problem)
      .value(modulo);
  auto c_modulo = [](Expr x, Expr y) { return fmod(x, y); };
  op("aten::fmod.Tensor(Tensor self, Tensor other) -> Tensor")
      .pointwise()
      .refuses(zero_problem)
      .value(c_modulo);
  op("aten::fmod.Scalar(Tensor self, Scalar other) -> Tensor")
      .pointwise()
      .refuses(zero_problem)
      .value(c_modulo);
}

NFX_OPS(powers_and_extrema) {
  auto power = [](Expr x, Expr y) { return pow(x, y); };
  op("aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor").pointwise().value(power);
  op("aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor")
      .pointwise()
      .value([](ElementContext& c, Expr x, Expr) { return power_of_number(c, x); });
  op("aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor").pointwise().value(power);
  op("aten::maximum(Tensor self, Tensor other) -> Tensor")
      .pointwise()
      .commutative()
      .value([](Expr x, Expr y) { return max_nan(x, y); });
  op("aten::minimum(Tensor self, Tensor other) -> Tensor")
      .pointwise()
      .commutative()
      .value([](Expr x, Expr y) { return min_nan(x, y); });
  op("aten::fmax(Tensor self, Tensor other) -> Tensor").pointwise().value([](Expr x, Expr y) {
    return fmax(x, y);
  });
  op("aten::fmin(Tensor self, Tensor other) -> Tensor").pointwise().value([](Expr x, Expr y) {
    return fmin(x, y);
  });
  op("aten::atan2(Tensor self, Tensor other) -> Tensor")
      .pointwise(Promote::kIntToFloat)
      .value([](Expr y, Expr x) { return atan2(y, x); });
  op("aten::hypot(Tensor self, Tensor other) -> Tensor").pointwise().value([](Expr x, Expr y) {
    return hypot(x, y);
  });
  for (const char* schema : {"aten::copysign.Tensor(Tensor self, Tensor other) -> Tensor",
                             "aten::copysign.Scalar(Tensor self, Scalar other) -> Tensor"}) {
    op(schema).pointwise(Promote::kIntToFloat).value([](Expr x, Expr y) { return copysign(x, y); });
  }
}

NFX_OPS(fused_arithmetic) {
  op("aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor")
      .pointwise()
      .value([](ElementContext& c, Expr x, Expr a, Expr b) {
        return x + number_argument(c, "value", x.dtype()) * a * b;
      });
  op("aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor")
      .pointwise(Promote::kIntToFloat)
      .value([](ElementContext& c, Expr x, Expr a, Expr b) {
        return x + number_argument(c, "value", x.dtype()) * a / b;
      });
  auto lerp = [](Expr x, Expr end, Expr weight) {
    return select(abs(weight) < 0.5, x + weight * (end - x), end - (end - x) * (1.0 - weight));
  };
  op("aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor")
      .pointwise()
      .wide_numbers()
      .value(lerp);
  op("aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor").pointwise().value(lerp);
}

NFX_OPS(bits) {
  auto bit_and = [](Expr x, Expr y) { return x & y; };
  auto bit_or = [](Expr x, Expr y) { return x | y; };
  auto truth_xor = [](Expr x, Expr y) { return x ^ y; };
  op("aten::bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor")
      .pointwise()
      .commutative()
      .value(bit_and);
  op("aten::bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor").pointwise().value(bit_and);
  op("aten::bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor")
      .pointwise()
      .commutative()
      .value(bit_or);
  op("aten::bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor").pointwise().value(bit_or);
  op("aten::bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor")
      .pointwise()
      .commutative()
      .value(truth_xor);
  op("aten::bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor").pointwise().value(truth_xor);
  op("aten::bitwise_not(Tensor self) -> Tensor").pointwise().value([](Expr x) { return ~x; });
  op("aten::logical_not(Tensor self) -> Tensor").pointwise(Promote::kLogical).value([](Expr x) {
    return !x;
  });
  op("aten::logical_and(Tensor self, Tensor other) -> Tensor")
      .pointwise(Promote::kLogical)
      .commutative()
      .value(bit_and);
  op("aten::logical_or(Tensor self, Tensor other) -> Tensor")
      .pointwise(Promote::kLogical)
      .commutative()
      .value(bit_or);
  op("aten::logical_xor(Tensor self, Tensor other) -> Tensor")
      .pointwise(Promote::kLogical)
      .commutative()
      .value(truth_xor);
}

NFX_OPS(bits_of_numbers) {
  op("aten::bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor")
      .pointwise()
      .value([](Expr x, Expr y) { return x & y; });
  op("aten::bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor")
      .pointwise()
      .value([](Expr x, Expr y) { return x | y; });
  op("aten::bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor")
      .pointwise()
      .value([](Expr x, Expr y) { return x ^ y; });
}

NFX_OPS(shifts) {
  auto left = [](Expr x, Expr y) { return x << y; };
  auto right = [](Expr x, Expr y) { return x >> y; };
#define NFX_SHIFT(name, value_)                                                               \
  op("aten::" name ".Tensor(Tensor self, Tensor other) -> Tensor").pointwise().value(value_); \
  op("aten::" name ".Tensor_Scalar(Tensor self, Scalar other) -> Tensor")                     \
      .pointwise()                                                                            \
      .value(value_);                                                                         \
  op("aten::" name ".Scalar_Tensor(Scalar self, Tensor other) -> Tensor").pointwise().value(value_)
  NFX_SHIFT("bitwise_left_shift", left);
  NFX_SHIFT("bitwise_right_shift", right);
#undef NFX_SHIFT
}

NFX_OPS(comparisons) {
#define NFX_COMPARISON(name, operator_)                            \
  op("aten::" name ".Tensor(Tensor self, Tensor other) -> Tensor") \
      .pointwise(Promote::kBoolResult)                             \
      .value([](Expr x, Expr y) { return x operator_ y; });        \
  op("aten::" name ".Scalar(Tensor self, Scalar other) -> Tensor") \
      .pointwise(Promote::kBoolResult)                             \
      .value([](Expr x, Expr y) { return x operator_ y; })
  NFX_COMPARISON("eq", ==);
  NFX_COMPARISON("ne", !=);
  NFX_COMPARISON("lt", <);
  NFX_COMPARISON("le", <=);
  NFX_COMPARISON("gt", >);
  NFX_COMPARISON("ge", >=);
#undef NFX_COMPARISON
}

}  // namespace nfx
