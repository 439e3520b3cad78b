// Activations and their derivatives, as PyTorch computes them.
#include <numbers>

#include "ops/define.h"

namespace nfx {
namespace {

constexpr double kInvSqrt2 = 0.70710678118654752440;
constexpr double kInvSqrt2Pi = 0.39894228040143267794;
constexpr double kSqrt2OverPi = 0.79788456080286535588;
constexpr double kTanhCubic = 0.044715;

bool is_tanh(ElementContext& context) {
  return string_argument(context.node(), "approximate") == "tanh";
}

Expr gelu(ElementContext& context, Expr x) {
  if (!is_tanh(context)) return x * 0.5 * (1.0 + erf(x * kInvSqrt2));
  return 0.5 * x * (1.0 + tanh(kSqrt2OverPi * (x + kTanhCubic * x * x * x)));
}

Expr gelu_backward(ElementContext& context, Expr grad, Expr x) {
  if (!is_tanh(context)) {
    const Expr cdf = 0.5 * (1.0 + erf(x * kInvSqrt2));
    const Expr pdf = exp(x * x * -0.5) * kInvSqrt2Pi;
    return grad * (cdf + x * pdf);
  }
  const Expr inner = kSqrt2OverPi * (x + kTanhCubic * x * x * x);
  const Expr t = tanh(inner);
  const Expr slope = kSqrt2OverPi * (1.0 + 3.0 * kTanhCubic * x * x);
  return grad * (0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * slope);
}

Expr elu(ElementContext& context, Expr x) {
  const Dtype dtype = x.dtype();
  const Expr negative =
      number_argument(context, "alpha", dtype) * number_argument(context, "scale", dtype);
  const Expr in = x * number_argument(context, "input_scale", dtype);
  return select(x <= 0, expm1(in) * negative, x * number_argument(context, "scale", dtype));
}

Expr elu_backward(ElementContext& context, Expr grad, Expr y) {
  const Dtype dtype = y.dtype();
  const Expr scale = number_argument(context, "scale", dtype);
  const Expr in = number_argument(context, "input_scale", dtype);
  const Expr negative = number_argument(context, "alpha", dtype) * scale;
  const bool is_result = int_argument(context.node(), "is_result") != 0;
  const Expr below = is_result ? grad * in * (y + negative) : grad * in * negative * exp(y * in);
  return select(y <= 0, below, grad * scale);
}

Expr softplus(ElementContext& context, Expr x) {
  const Expr beta = number_argument(context, "beta", x.dtype());
  const Expr threshold = number_argument(context, "threshold", x.dtype());
  return select(x * beta > threshold, x, log1p(exp(x * beta)) / beta);
}

Expr softplus_backward(ElementContext& context, Expr grad, Expr x) {
  const Expr beta = number_argument(context, "beta", x.dtype());
  const Expr z = exp(x * beta);
  return select(x * beta > number_argument(context, "threshold", x.dtype()), grad,
                grad * z / (z + 1.0));
}

// Of equals the second is taken: -0.0 stays, as in PyTorch.
Expr rectified(Expr x) { return max_nan(literal(x, 0), x); }

}  // namespace

NFX_OPS(rectifiers) {
  op("aten::relu(Tensor self) -> Tensor").pointwise().value([](Expr x) { return rectified(x); });
  op("aten::threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor")
      .pointwise()
      .value([](ElementContext& c, Expr grad, Expr x) {
        return select(x <= number_argument(c, "threshold", x.dtype()), 0, grad);
      });
  op("aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor")
      .pointwise()
      .value([](ElementContext& c, Expr x) {
        return select(x > 0, x, x * number_argument(c, "negative_slope", x.dtype()));
      });
  op("aten::leaky_relu_backward(Tensor grad_output, Tensor self, Scalar negative_slope, bool "
     "self_is_result) -> Tensor")
      .pointwise()
      .value([](ElementContext& c, Expr grad, Expr x) {
        return select(x > 0, grad, grad * number_argument(c, "negative_slope", x.dtype()));
      });
  op("aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor")
      .pointwise()
      .value([](ElementContext& c, Expr x) {
        return min_nan(max_nan(x, number_argument(c, "min_val", x.dtype())),
                       number_argument(c, "max_val", x.dtype()));
      });
  op("aten::hardtanh_backward(Tensor grad_output, Tensor self, Scalar min_val, Scalar max_val) -> "
     "Tensor")
      .pointwise()
      .value([](ElementContext& c, Expr grad, Expr x) {
        const Expr outside = (x <= number_argument(c, "min_val", x.dtype())) |
                             (x >= number_argument(c, "max_val", x.dtype()));
        return select(outside, 0, grad);
      });
  op("aten::hardsigmoid(Tensor self) -> Tensor").pointwise(Promote::kIntToFloat).value([](Expr x) {
    return min_nan(max_nan(x + 3, 0), 6) / 6;
  });
  op("aten::hardswish(Tensor self) -> Tensor").pointwise().value([](Expr x) {
    return x * min_nan(max_nan(x + 3, 0), 6) / 6;
  });
}

NFX_OPS(smooth_activations) {
  op("aten::gelu(Tensor self, *, str approximate=\"none\") -> Tensor")
      .pointwise()
      .value([](ElementContext& c, Expr x) { return gelu(c, x); });
  op("aten::gelu_backward(Tensor grad_output, Tensor self, *, str approximate=\"none\") -> Tensor")
      .pointwise()
      .value([](ElementContext& c, Expr grad, Expr x) { return gelu_backward(c, grad, x); });
  op("aten::silu(Tensor self) -> Tensor").pointwise().value([](Expr x) {
    return x / (1.0 + exp(-x));
  });
  op("aten::silu_backward(Tensor grad_output, Tensor self) -> Tensor")
      .pointwise()
      .value([](Expr grad, Expr x) {
        const Expr s = sigmoid(x);
        return grad * s * (1.0 + x * (1.0 - s));
      });
  op("aten::mish(Tensor self) -> Tensor").pointwise().value([](Expr x) {
    return x * tanh(log1p(exp(x)));
  });
  op("aten::sigmoid_backward(Tensor grad_output, Tensor output) -> Tensor")
      .pointwise()
      .value([](Expr grad, Expr y) { return grad * (1.0 - y) * y; });
  op("aten::tanh_backward(Tensor grad_output, Tensor output) -> Tensor")
      .pointwise()
      .value([](Expr grad, Expr y) { return grad * (1.0 - y * y); });
}

NFX_OPS(exponential_units) {
  op("aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor")
      .pointwise()
      .value([](ElementContext& c, Expr x) { return elu(c, x); });
  op("aten::elu_backward(Tensor grad_output, Scalar alpha, Scalar scale, Scalar input_scale, bool "
     "is_result, Tensor self_or_result) -> Tensor")
      .pointwise(Promote::kFirst)
      .element([](ElementContext& c) {
        const Dtype dtype = compute_dtype(c.node());
        return elu_backward(c, operand_value(c, 0, dtype), operand_value(c, 5, dtype));
      });
  op("aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor")
      .pointwise()
      .value([](ElementContext& c, Expr x) { return softplus(c, x); });
  op("aten::softplus_backward(Tensor grad_output, Tensor self, Scalar beta, Scalar threshold) -> "
     "Tensor")
      .pointwise()
      .value([](ElementContext& c, Expr grad, Expr x) { return softplus_backward(c, grad, x); });
  op("aten::native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor")
      .pointwise(Promote::kFirst)
      .element([](ElementContext& c) {
        const Dtype dtype = compute_dtype(c.node());
        return operand_value(c, 0, dtype) * operand_value(c, 1, dtype) *
               number_argument(c, "scale", dtype);
      });
}

}  // namespace nfx
