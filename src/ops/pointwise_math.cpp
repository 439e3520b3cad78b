// Functions of one element.
#include "ops/define.h"

namespace nfx {

// Integers become floats.
#define NFX_FLOAT_MATH(name, expression)                                                         \
  op("aten::" name "(Tensor self) -> Tensor").pointwise(Promote::kIntToFloat).value([](Expr x) { \
    return expression;                                                                           \
  })
// The dtype stays.
#define NFX_SAME_MATH(name, expression) \
  op("aten::" name "(Tensor self) -> Tensor").pointwise().value([](Expr x) { return expression; })

NFX_OPS(float_math) {
  NFX_FLOAT_MATH("exp", exp(x));
  NFX_FLOAT_MATH("exp2", exp2(x));
  NFX_FLOAT_MATH("expm1", expm1(x));
  NFX_FLOAT_MATH("log", log(x));
  NFX_FLOAT_MATH("log2", log2(x));
  NFX_FLOAT_MATH("log10", log10(x));
  NFX_FLOAT_MATH("log1p", log1p(x));
  NFX_FLOAT_MATH("sqrt", sqrt(x));
  NFX_FLOAT_MATH("rsqrt", rsqrt(x));
  NFX_FLOAT_MATH("reciprocal", 1.0 / x);
  NFX_FLOAT_MATH("sin", sin(x));
  NFX_FLOAT_MATH("cos", cos(x));
  NFX_FLOAT_MATH("tan", tan(x));
  NFX_FLOAT_MATH("asin", asin(x));
  NFX_FLOAT_MATH("acos", acos(x));
  NFX_FLOAT_MATH("atan", atan(x));
  NFX_FLOAT_MATH("sinh", sinh(x));
  NFX_FLOAT_MATH("cosh", cosh(x));
  NFX_FLOAT_MATH("tanh", tanh(x));
  NFX_FLOAT_MATH("asinh", asinh(x));
  NFX_FLOAT_MATH("acosh", acosh(x));
  NFX_FLOAT_MATH("atanh", atanh(x));
  NFX_FLOAT_MATH("erf", erf(x));
  NFX_FLOAT_MATH("erfc", erfc(x));
  NFX_FLOAT_MATH("sigmoid", sigmoid(x));
  NFX_FLOAT_MATH("lgamma", lgamma(x));
}

NFX_OPS(same_math) {
  NFX_SAME_MATH("neg", -x);
  NFX_SAME_MATH("abs", abs(x));
  NFX_SAME_MATH("sign", sign(x));
  NFX_SAME_MATH("sgn", sign(x));
  NFX_SAME_MATH("floor", is_floating(x.dtype()) ? floor(x) : x);
  NFX_SAME_MATH("ceil", is_floating(x.dtype()) ? ceil(x) : x);
  NFX_SAME_MATH("trunc", is_floating(x.dtype()) ? trunc(x) : x);
  NFX_SAME_MATH("round", is_floating(x.dtype()) ? round(x) : x);
  NFX_SAME_MATH("frac", x - trunc(x));
  NFX_SAME_MATH("square", x * x);
}

NFX_OPS(predicates) {
  op("aten::isnan(Tensor self) -> Tensor").pointwise(Promote::kBoolResult).value([](Expr x) {
    return is_floating(x.dtype()) ? isnan(x) : cast(literal(x, 0), Dtype::kBool);
  });
  op("aten::isinf(Tensor self) -> Tensor").pointwise(Promote::kBoolResult).value([](Expr x) {
    return is_floating(x.dtype()) ? isinf(x) : cast(literal(x, 0), Dtype::kBool);
  });
  op("aten::signbit(Tensor self) -> Tensor").pointwise(Promote::kBoolResult).value([](Expr x) {
    return is_floating(x.dtype()) ? copysign(literal(x, 1), x) < 0 : x < 0;
  });
}

#undef NFX_FLOAT_MATH
#undef NFX_SAME_MATH

}  // namespace nfx
