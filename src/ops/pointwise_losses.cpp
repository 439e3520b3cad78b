// Losses of each element, and their gradients. With a mean or a sum a loss stands
// for itself without, and the reduction:
//
//   huber_loss(x, t, 1, delta)  =>  mean(huber_loss(x, t, 0, delta))
#include "ops/compose.h"
#include "ops/define.h"
#include "ops/reductions.h"
#include "ops/type_rules.h"

namespace nfx {
namespace {

using Nodes = std::vector<Node>;

enum Reduction : int64_t { kEach = 0, kMean = 1, kSum = 2 };

int64_t reduction_of(Node node) { return int_argument(node, "reduction", kMean); }

Result<Nodes> expand_reduction(Graph& graph, Node node) {
  if (reduction_of(node) == kEach) return no_expansion(node, "it has a value for each element");
  NFX_TRY(require_float(node, node.operand(0)));
  Compose make(graph, node);
  const Node each = make.again("reduction", make.integer(kEach));
  const bool mean = reduction_of(node) == kMean;
  return Nodes{make.as_result(make(mean ? "mean.default" : "sum.default", {each}))};
}

std::string reduces(Node node) { return reduction_of(node) == kEach ? "" : "it is reduced"; }

Result<TypeId> loss_type(Node node) {
  if (reduction_of(node) == kEach) return pointwise_type(node);
  return dense_type(node, node.operand(0).type().dtype, {});
}

template <class F>
void loss(std::string_view schema, F value) {
  op(schema).pointwise().type(loss_type).value(value).refuses(reduces).expand(expand_reduction);
}

Expr named(ElementContext& context, std::string_view name, Expr like) {
  return number_argument(context, name, like.dtype());
}

// An optional tensor, 1 without it.
Expr weight_of(ElementContext& context, std::string_view name, Expr like) {
  const Node node = argument(context.node(), name).node();
  return node ? cast(context.aligned(node), like.dtype()) : literal(like, 1);
}

// What the gradient of one element is of that of the result: 1 / count for a mean.
Expr share(ElementContext& context, Expr grad, Node self) {
  if (reduction_of(context.node()) != kMean) return grad;
  const SymExprId count =
      count_of(context.node().graph().context(), self.type(), dims_between(0, self.type().rank()));
  return grad * (1.0 / cast(context.size(count), grad.dtype()));
}

// Its first operands are grad, self and target; the result is like self.
template <class F>
void gradient(std::string_view schema, F value) {
  op(schema)
      .pointwise()
      .value([value](ElementContext& context, Expr grad, Expr x, Expr target) {
        const Node self = argument(context.node(), "self").node();
        return value(context, share(context, grad, self), x, target);
      })
      .type([](Node node) -> Result<TypeId> {
        const Type& type = argument(node, "self").node().type();
        return dense_type(node, type.dtype, {type.sizes.begin(), type.sizes.end()});
      });
}

Expr smooth_l1(ElementContext& context, Expr x, Expr target) {
  const Expr distance = abs(x - target), beta = named(context, "beta", x);
  if (real_argument(context.node(), "beta", 1) == 0) return distance;
  return select(distance < beta, 0.5 * distance * distance / beta, distance - 0.5 * beta);
}

Expr smooth_l1_backward(ElementContext& context, Expr grad, Expr x, Expr target) {
  const Expr distance = x - target, beta = named(context, "beta", x);
  return select(distance <= -beta, -grad, select(distance >= beta, grad, grad * distance / beta));
}

Expr huber(ElementContext& context, Expr x, Expr target) {
  const Expr distance = abs(x - target), delta = named(context, "delta", x);
  return select(distance <= delta, 0.5 * distance * distance, delta * (distance - 0.5 * delta));
}

Expr huber_backward(ElementContext& context, Expr grad, Expr x, Expr target) {
  const Expr distance = x - target, delta = named(context, "delta", x);
  return select(distance <= -delta, -grad * delta,
                select(distance >= delta, grad * delta, grad * distance));
}

// PyTorch keeps logarithms above -100.
Expr cross_entropy(ElementContext& context, Expr x, Expr target) {
  const Expr other = max_nan(log1p(-x), -100), own = max_nan(log(x), -100);
  return ((target - 1.0) * other - target * own) * weight_of(context, "weight", x);
}

Expr cross_entropy_backward(ElementContext& context, Expr grad, Expr x, Expr target) {
  const Expr spread = max_nan((1.0 - x) * x, 1e-12);
  return grad * (x - target) / spread * weight_of(context, "weight", x);
}

Expr cross_entropy_of_logits(ElementContext& context, Expr x, Expr target) {
  const Expr log_sigmoid = min_nan(x, 0) - log1p(exp(-abs(x)));
  const Expr positive = (weight_of(context, "pos_weight", x) - 1.0) * target + 1.0;
  const Expr each = (1.0 - target) * x - positive * log_sigmoid;
  return each * weight_of(context, "weight", x);
}

}  // namespace

NFX_OPS(losses_of_distance) {
  loss("aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=1, float beta=1.) -> Tensor",
       [](ElementContext& c, Expr x, Expr target) { return smooth_l1(c, x, target); });
  loss("aten::huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.) -> Tensor",
       [](ElementContext& c, Expr x, Expr target) { return huber(c, x, target); });
  gradient(
      "aten::smooth_l1_loss_backward(Tensor grad_output, Tensor self, Tensor target, int "
      "reduction, float beta) -> Tensor",
      smooth_l1_backward);
  gradient(
      "aten::huber_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, "
      "float delta) -> Tensor",
      huber_backward);
}

NFX_OPS(losses_of_likelihood) {
  loss(
      "aten::binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int "
      "reduction=1) -> Tensor",
      [](ElementContext& c, Expr x, Expr target) { return cross_entropy(c, x, target); });
  loss(
      "aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, "
      "Tensor? pos_weight=None, int reduction=1) -> Tensor",
      [](ElementContext& c, Expr x, Expr target) { return cross_entropy_of_logits(c, x, target); });
  loss("aten::soft_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
       [](Expr x, Expr target) { return log1p(exp(-x * target)); });
  gradient(
      "aten::binary_cross_entropy_backward(Tensor grad_output, Tensor self, Tensor target, "
      "Tensor? weight=None, int reduction=1) -> Tensor",
      cross_entropy_backward);
  gradient(
      "aten::soft_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, int "
      "reduction) -> Tensor",
      [](ElementContext&, Expr grad, Expr x, Expr target) {
        const Expr z = exp(-target * x);
        return -target * z / (z + 1.0) * grad;
      });
}

}  // namespace nfx
