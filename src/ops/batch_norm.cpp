// Normalisation of each channel over the batch, and the gradients of group norm.
#include "ops/compose.h"
#include "ops/define.h"
#include "ops/type_rules.h"

namespace nfx {
namespace {

using Nodes = std::vector<Node>;

bool masked(Node node, size_t result) {
  const ArgumentView mask = argument(node, "output_mask");
  return mask && result < mask.size() && mask.child(result).as_int() == 1;
}

// A tensor of (N, C, ...) and what belongs to its channels.
class Channels {
 public:
  Channels(const Compose& make, Node x) : make_(make), rank_(x.type().rank()) {
    dims_ = dims_between(2, rank_);
    dims_.insert(dims_.begin(), 0);
  }

  // A value of each channel, shaped to be broadcast over the tensor.
  Node spread(Node channel) const {
    if (!channel) return channel;
    std::vector<int64_t> shape(rank_, 1);
    shape[1] = -1;
    return make_("view.default", {channel, make_.integers(shape)});
  }
  Node mean(Node x) const { return reduce("mean.dim", x); }
  Node sum(Node x) const { return reduce("sum.dim_IntList", x); }
  SymExprId count(Context& context, const Type& type) const {
    return count_of(context, type, dims_);
  }
  const std::vector<int64_t>& dims() const { return dims_; }

 private:
  Node reduce(std::string_view op, Node x) const {
    return make_(op, {x, make_.integers(dims_), make_.boolean(false)});
  }

  const Compose& make_;
  size_t rank_;
  std::vector<int64_t> dims_;
};

Node inverse_deviation(const Compose& make, Node variance, double eps) {
  return make("rsqrt.default", {make("add.Scalar", {variance, make.real(eps)})});
}

Node scaled(const Compose& make, Node x, Node weight, Node bias) {
  if (weight) x = make("mul.Tensor", {x, weight});
  return bias ? make("add.Tensor", {x, bias}) : x;
}

// running * (1 - momentum) + now * momentum
Node moved(const Compose& make, Node running, Node now, double momentum) {
  return make("add.Tensor", {make("mul.Scalar", {running, make.real(1 - momentum)}),
                             make("mul.Scalar", {now, make.real(momentum)})});
}

struct Normalised {
  Node out, mean, variance, inverse;
};

// With the statistics of the batch, or with those given.
Normalised normalise(const Compose& make, Node node, Node mean, Node variance) {
  const Node x = make.tensor("input");
  const Channels channels(make, x);
  Normalised result;
  result.mean = mean ? mean : channels.mean(x);
  const Node centered = make("sub.Tensor", {x, channels.spread(result.mean)});
  result.variance = variance ? variance : channels.mean(make("mul.Tensor", {centered, centered}));
  result.inverse = inverse_deviation(make, result.variance, real_argument(node, "eps"));
  const Node normal = make("mul.Tensor", {centered, channels.spread(result.inverse)});
  result.out = scaled(make, normal, channels.spread(make.tensor("weight")),
                      channels.spread(make.tensor("bias")));
  return result;
}

Status check_input(Node node) {
  const Node x = argument(node, "input").node();
  NFX_TRY(require_float(node, x));
  if (x.type().rank() < 2) return no_expansion(node, "its input has no channels");
  return success();
}

// Statistics that eager leaves empty.
Node nothing(const Compose& make) {
  const Node any = make.tensor("running_mean");
  return make("new_zeros.default", {any, make.integers({0})});
}

Result<Nodes> expand_inference(Graph& graph, Node node) {
  NFX_TRY(check_input(node));
  Compose make(graph, node);
  const Normalised n =
      normalise(make, node, make.tensor("running_mean"), make.tensor("running_var"));
  return Nodes{make.as_result(n.out, 0), make.as_result(nothing(make), 1),
               make.as_result(nothing(make), 2)};
}

Result<Nodes> expand_without_statistics(Graph& graph, Node node) {
  NFX_TRY(check_input(node));
  if (int_argument(node, "training") == 0) return no_expansion(node, "it does not train");
  Compose make(graph, node);
  const Normalised n = normalise(make, node, {}, {});
  return Nodes{make.as_result(n.out, 0), make.as_result(n.mean, 1), make.as_result(n.inverse, 2)};
}

// The new running statistics are the last two results.
Result<Nodes> expand_functional(Graph& graph, Node node) {
  if (int_argument(node, "training") == 0) {
    NFX_ASSIGN(Nodes results, expand_inference(graph, node));
    results.push_back(argument(node, "running_mean").node());
    results.push_back(argument(node, "running_var").node());
    return results;
  }
  NFX_TRY(check_input(node));
  Compose make(graph, node);
  const Normalised n = normalise(make, node, {}, {});
  Context& context = graph.context();
  const Type& type = argument(node, "input").node().type();
  const SymExprId count = Channels(make, make.tensor("input")).count(context, type);
  const SymExprId free = sym_add(context, count, sym_int(context, -1));
  const Node sum = make("mul.Scalar", {n.variance, make.size(count)});
  const Node unbiased = make("div.Scalar", {sum, make.size(free)});
  const double momentum = real_argument(node, "momentum");
  return Nodes{make.as_result(n.out, 0), make.as_result(n.mean, 1), make.as_result(n.inverse, 2),
               make.as_result(moved(make, make.tensor("running_mean"), n.mean, momentum), 3),
               make.as_result(moved(make, make.tensor("running_var"), unbiased, momentum), 4)};
}

//   c = x - mean; s = sum(grad); p = sum(grad * c)
//   dx = (grad - s / n - c * r * r * p / n) * r * weight; dw = p * r; db = s
Result<Nodes> expand_batch_norm_backward(Graph& graph, Node node) {
  NFX_TRY(check_input(node));
  Compose make(graph, node);
  const Node grad = make.tensor("grad_out"), x = make.tensor("input");
  const Channels channels(make, x);
  const bool train = int_argument(node, "train") != 0;
  const Node mean = make.tensor(train ? "save_mean" : "running_mean");
  const Node inverse =
      train ? make.tensor("save_invstd")
            : inverse_deviation(make, make.tensor("running_var"), real_argument(node, "eps"));
  const Node centered = make("sub.Tensor", {x, channels.spread(mean)});
  const Node total = channels.sum(grad);
  const Node product = channels.sum(make("mul.Tensor", {grad, centered}));
  Nodes results(3);
  if (masked(node, 0)) {
    Node part = grad;
    if (train) {
      const auto count = make.size(channels.count(graph.context(), x.type()));
      const Node slope = make("mul.Tensor", {make("mul.Tensor", {inverse, inverse}),
                                             make("div.Scalar", {product, count})});
      const Node shift = channels.spread(make("div.Scalar", {total, count}));
      const Node slant = make("mul.Tensor", {centered, channels.spread(slope)});
      part = make("sub.Tensor", {make("sub.Tensor", {grad, shift}), slant});
    }
    const Node scale = channels.spread(scaled(make, inverse, make.tensor("weight"), {}));
    results[0] = make.as_result(make("mul.Tensor", {part, scale}), 0);
  }
  if (masked(node, 1)) results[1] = make.as_result(make("mul.Tensor", {product, inverse}), 1);
  if (masked(node, 2)) results[2] = make.as_result(total, 2);
  return results;
}

}  // namespace

NFX_OPS(batch_norm) {
  op("aten::_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, "
     "Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, "
     "Tensor)")
      .expand(expand_inference);
  op("aten::_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool "
     "training, float momentum, float eps) -> (Tensor, Tensor, Tensor)")
      .expand(expand_without_statistics);
  op("aten::_native_batch_norm_legit_functional(Tensor input, Tensor? weight, Tensor? bias, "
     "Tensor running_mean, Tensor running_var, bool training, float momentum, float eps) -> "
     "(Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)")
      .expand(expand_functional);
  op("aten::native_batch_norm_backward(Tensor grad_out, Tensor input, Tensor? weight, Tensor? "
     "running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_invstd, bool train, "
     "float eps, bool[3] output_mask) -> (Tensor, Tensor, Tensor)")
      .expand(expand_batch_norm_backward);
}

}  // namespace nfx
