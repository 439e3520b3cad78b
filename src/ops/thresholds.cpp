// Activations that are straight lines, their derivatives, and gates.
#include "ops/compose.h"
#include "ops/define.h"
#include "ops/type_rules.h"

namespace nfx {
namespace {

using Nodes = std::vector<Node>;

Expr named(ElementContext& context, std::string_view name, Expr like) {
  return number_argument(context, name, like.dtype());
}

Expr within(ElementContext& context, Expr x) {
  const Expr limit = named(context, "lambd", x);
  return (x >= -limit) & (x <= limit);
}

Expr softshrink(ElementContext& context, Expr x) {
  const Expr limit = named(context, "lambd", x);
  return select(x > limit, x - limit, select(x < -limit, x + limit, x * 0.0));
}

// z is exp(-|x|), which the forward op gives as its second result
Expr log_sigmoid_backward(Expr grad, Expr x, Expr z) {
  const Expr share = z / (1.0 + z);
  return grad * select(x < 0, 1.0 - share, share);
}

//   log_sigmoid(x)  =>  z = exp(-abs(x)); min(x, 0) - log1p(z), z
Result<Nodes> expand_log_sigmoid(Graph& graph, Node node) {
  NFX_TRY(require_float(node, node.operand(0)));
  Compose make(graph, node);
  const Node x = make.tensor(0);
  const Node z = make("exp.default", {make("neg.default", {make("abs.default", {x})})});
  const Node bent = make("clamp_max.default", {x, make.integer(0)});
  const Node value = make("sub.Tensor", {bent, make("log1p.default", {z})});
  return Nodes{make.as_result(value, 0), make.as_result(z, 1)};
}

//   prelu's gradients  =>  where(x > 0, grad, weight * grad), where(x > 0, 0, x * grad)
Result<Nodes> expand_prelu_backward(Graph& graph, Node node) {
  NFX_TRY(require_float(node, node.operand(0)));
  Compose make(graph, node);
  const Node grad = make.tensor(0), x = make.tensor(1), weight = make.tensor(2);
  const Node positive = make("gt.Scalar", {x, make.integer(0)});
  const Node scaled = make("mul.Tensor", {weight, grad});
  const Node product = make("mul.Tensor", {x, grad});
  return Nodes{make.as_result(make("where.self", {positive, grad, scaled}), 0),
               make.as_result(make("masked_fill.Scalar", {product, positive, make.integer(0)}), 1)};
}

// ---- gated linear unit: the first half of a dimension times the sigmoid of the second

struct Halves {
  std::vector<Expr> first, second;
  Expr in_first;  // bool: the element itself is of the first half
};

Halves halves(ElementContext& context, Node whole) {
  const auto sizes = whole.type().sizes;
  const auto dim =
      static_cast<size_t>(wrapped_dim(int_argument(context.node(), "dim", -1), sizes.size()));
  Context& types = context.node().graph().context();
  const Expr half = context.size(sym_floordiv(types, sizes[dim], sym_int(types, 2)));
  Halves result;
  result.first.assign(context.index().begin(), context.index().end());
  result.in_first = result.first[dim] < half;
  result.first[dim] = select(result.in_first, result.first[dim], result.first[dim] - half);
  result.second = result.first;
  result.second[dim] = result.first[dim] + half;
  return result;
}

Expr read_wide(ElementContext& context, Node from, std::span<const Expr> at) {
  return cast(context.read(from, at), arithmetic_dtype(from.type().dtype));
}

Expr gated(ElementContext& context) {
  const Node self = context.node().operand(0);
  const Halves at = halves(context, self);
  return read_wide(context, self, at.first) * sigmoid(read_wide(context, self, at.second));
}

Expr gated_backward(ElementContext& context) {
  const Node grad = context.node().operand(0), self = context.node().operand(1);
  const Halves at = halves(context, self);
  const Expr slope = read_wide(context, grad, at.first);
  const Expr value = read_wide(context, self, at.first);
  const Expr gate = sigmoid(read_wide(context, self, at.second));
  return select(at.in_first, gate * slope, (1.0 - gate) * gate * slope * value);
}

Result<TypeId> gated_type(Node node) {
  Context& context = node.graph().context();
  const Type& type = node.operand(0).type();
  std::vector<SymExprId> sizes(type.sizes.begin(), type.sizes.end());
  SymExprId& size =
      sizes[static_cast<size_t>(wrapped_dim(int_argument(node, "dim", -1), sizes.size()))];
  size = sym_floordiv(context, size, sym_int(context, 2));
  return dense_type(node, type.dtype, sizes);
}

Result<TypeId> like_second(Node node) {
  const Type& type = node.operand(1).type();
  return dense_type(node, type.dtype, {type.sizes.begin(), type.sizes.end()});
}

}  // namespace

NFX_OPS(thresholds) {
  op("aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor")
      .pointwise()
      .value([](ElementContext& c, Expr x) {
        return select(x <= named(c, "threshold", x), named(c, "value", x), x);
      });
  op("aten::hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor")
      .pointwise()
      .value([](ElementContext& c, Expr x) { return select(within(c, x), 0, x); });
  op("aten::softshrink(Tensor self, Scalar lambd=0.5) -> Tensor")
      .pointwise()
      .value([](ElementContext& c, Expr x) { return softshrink(c, x); });
  for (const char* schema :
       {"aten::hardshrink_backward(Tensor grad_out, Tensor self, Scalar lambd) -> Tensor",
        "aten::softshrink_backward(Tensor grad_output, Tensor self, Scalar lambd) -> Tensor"}) {
    op(schema).pointwise().value(
        [](ElementContext& c, Expr grad, Expr x) { return select(within(c, x), 0, grad); });
  }
  op("aten::hardsigmoid_backward(Tensor grad_output, Tensor self) -> Tensor")
      .pointwise()
      .value([](Expr grad, Expr x) { return select((x > -3) & (x < 3), grad * (1.0 / 6), 0); });
  op("aten::hardswish_backward(Tensor grad_output, Tensor self) -> Tensor")
      .pointwise()
      .value([](Expr grad, Expr x) {
        return select(x <= -3, 0, select(x < 3, grad * (x / 3 + 0.5), grad));
      });
  op("aten::mish_backward(Tensor grad_output, Tensor self) -> Tensor")
      .pointwise()
      .value([](Expr grad, Expr x) {
        const Expr t = tanh(log1p(exp(x)));
        return grad * (t + x * sigmoid(x) * (1.0 - t * t));
      });
  op("aten::_prelu_kernel(Tensor self, Tensor weight) -> Tensor")
      .pointwise()
      .value([](Expr x, Expr weight) { return select(x > 0, x, weight * x); });
  op("aten::_prelu_kernel_backward(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor, "
     "Tensor)")
      .expand(expand_prelu_backward);
}

NFX_OPS(gates) {
  op("aten::log_sigmoid_forward(Tensor self) -> (Tensor output, Tensor buffer)")
      .expand(expand_log_sigmoid);
  op("aten::log_sigmoid_backward(Tensor grad_output, Tensor self, Tensor buffer) -> Tensor")
      .pointwise()
      .value([](Expr grad, Expr x, Expr z) { return log_sigmoid_backward(grad, x, z); });
  op("aten::glu(Tensor self, int dim=-1) -> Tensor").reads(gated).type(gated_type);
  op("aten::glu_backward(Tensor grad_output, Tensor self, int dim) -> Tensor")
      .reads(gated_backward)
      .type(like_second);
}

}  // namespace nfx
