// Layer norm, RMS norm, group norm, variance: two passes over data that stays in
// the cache, which is as exact as PyTorch's running moments.
#include <limits>

#include "ops/compose.h"
#include "ops/define.h"
#include "ops/reductions.h"
#include "ops/type_rules.h"

namespace nfx {
namespace {

using Nodes = std::vector<Node>;

// The last dimensions, as many as `normalized_shape` has.
struct NormDims {
  std::vector<int64_t> inner, outer;
};

NormDims norm_dims(Node node, Node input) {
  const size_t rank = input.type().rank();
  const ArgumentView shape = argument(node, "normalized_shape");
  const size_t count = std::min(rank, std::max<size_t>(shape.size(), shape.as_int() ? 1 : 0));
  return {dims_between(rank - count, rank), dims_between(0, rank - count)};
}

bool masked(Node node, size_t result) {
  const ArgumentView mask = argument(node, "output_mask");
  return mask && result < mask.size() && mask.child(result).as_int() == 1;
}

// Sum over the outer dimensions; without any, the value itself.
Node sum_outer(const Compose& make, Node value, const std::vector<int64_t>& outer) {
  if (outer.empty()) return value;
  return make("sum.dim_IntList", {value, make.integers(outer), make.boolean(false)});
}

Node times(const Compose& make, Node x, Node weight) {
  return weight ? make("mul.Tensor", {x, weight}) : x;
}

Node plus(const Compose& make, Node x, Node bias) {
  return bias ? make("add.Tensor", {x, bias}) : x;
}

// 1 / sqrt(mean(x * x) + eps)
Node inverse_deviation(const Compose& make, Node x, Compose::Operand dims, double eps) {
  const Node squares = make("mean.dim", {make("mul.Tensor", {x, x}), dims, make.boolean(true)});
  return make("rsqrt.default", {make("add.Scalar", {squares, make.real(eps)})});
}

//   layer_norm(x)  =>  c = x - mean(x); r = rsqrt(mean(c * c) + eps); c * r * weight + bias
Result<Nodes> expand_layer_norm(Graph& graph, Node node) {
  NFX_TRY(require_float(node, node.operand(0)));
  Compose make(graph, node);
  const Node x = make.tensor(0);
  const auto dims = make.integers(norm_dims(node, x).inner);
  const Node mean = make("mean.dim", {x, dims, make.boolean(true)});
  const Node centered = make("sub.Tensor", {x, mean});
  const Node rstd = inverse_deviation(make, centered, dims, real_argument(node, "eps"));
  const Node normal = make("mul.Tensor", {centered, rstd});
  const Node scaled = times(make, normal, make.tensor("weight"));
  const Node out = plus(make, scaled, make.tensor("bias"));
  return Nodes{make.as_result(out, 0), make.as_result(mean, 1), make.as_result(rstd, 2)};
}

//   n = (x - mean) * rstd; g = grad * weight
//   dx = (g - mean(g) - n * mean(g * n)) * rstd; dw = sum(grad * n); db = sum(grad)
Result<Nodes> expand_layer_norm_backward(Graph& graph, Node node) {
  Compose make(graph, node);
  const Node grad = make.tensor("grad_out"), x = make.tensor("input");
  NFX_TRY(require_float(node, x));
  const NormDims over = norm_dims(node, x);
  const auto dims = make.integers(over.inner), keep = make.boolean(true);
  const Node rstd = make.tensor("rstd"), weight = make.tensor("weight");
  const Node centered = make("sub.Tensor", {x, make.tensor("mean")});
  const Node normal = make("mul.Tensor", {centered, rstd});
  Nodes results(3);
  if (masked(node, 0)) {
    const Node g = times(make, grad, weight);
    const Node shift = make("mean.dim", {g, dims, keep});
    const Node slope = make("mean.dim", {make("mul.Tensor", {g, normal}), dims, keep});
    const Node part = make("mul.Tensor", {normal, slope});
    const Node inner = make("sub.Tensor", {make("sub.Tensor", {g, shift}), part});
    results[0] = make.as_result(make("mul.Tensor", {inner, rstd}), 0);
  }
  if (masked(node, 1)) {
    const Node products = make("mul.Tensor", {grad, normal});
    results[1] = make.as_result(sum_outer(make, products, over.outer), 1);
  }
  if (masked(node, 2)) {
    const Node total =
        over.outer.empty() ? make("clone.default", {grad}) : sum_outer(make, grad, over.outer);
    results[2] = make.as_result(total, 2);
  }
  return results;
}

double rms_eps(Node node, Dtype dtype) {
  const double smallest = dtype == Dtype::kFloat64 ? std::numeric_limits<double>::epsilon()
                                                   : double{std::numeric_limits<float>::epsilon()};
  return real_argument(node, "eps", smallest);
}

//   rms_norm(x)  =>  r = rsqrt(mean(x * x) + eps); x * r * weight
Result<Nodes> expand_rms_norm(Graph& graph, Node node) {
  NFX_TRY(require_float(node, node.operand(0)));
  Compose make(graph, node);
  const Node x = make.tensor(0);
  const auto dims = make.integers(norm_dims(node, x).inner);
  const Node rstd = inverse_deviation(make, x, dims, rms_eps(node, x.type().dtype));
  const Node normal = make("mul.Tensor", {x, rstd});
  return Nodes{make.as_result(times(make, normal, make.tensor("weight")), 0),
               make.as_result(rstd, 1)};
}

//   n = x * rstd; g = grad * weight; dx = (g - n * mean(g * n)) * rstd; dw = sum(grad * n)
Result<Nodes> expand_rms_norm_backward(Graph& graph, Node node) {
  Compose make(graph, node);
  const Node grad = make.tensor("grad_out"), x = make.tensor("input");
  NFX_TRY(require_float(node, x));
  const NormDims over = norm_dims(node, x);
  const auto dims = make.integers(over.inner);
  const Node rstd = make.tensor("rstd");
  const Node normal = make("mul.Tensor", {x, rstd});
  Nodes results(2);
  if (masked(node, 0)) {
    const Node g = times(make, grad, make.tensor("weight"));
    const Node slope =
        make("mean.dim", {make("mul.Tensor", {g, normal}), dims, make.boolean(true)});
    const Node inner = make("sub.Tensor", {g, make("mul.Tensor", {normal, slope})});
    results[0] = make.as_result(make("mul.Tensor", {inner, rstd}), 0);
  }
  if (masked(node, 1)) {
    const Node products = make("mul.Tensor", {grad, normal});
    results[1] = make.as_result(sum_outer(make, products, over.outer), 1);
  }
  return results;
}

bool is_row_major(Context& context, const Type& type) {
  const Type& dense = context.type(contiguous_tensor(context, type.dtype, type.sizes));
  return std::equal(type.strides.begin(), type.strides.end(), dense.strides.begin(),
                    dense.strides.end(),
                    [&](SymExprId a, SymExprId b) { return known_equal(context, a, b); });
}

// A weight of each channel, broadcast over the dimensions after it.
Node per_channel(const Compose& make, Node weight, size_t rank) {
  if (!weight || rank < 3) return weight;
  std::vector<int64_t> shape(rank - 1, 1);
  shape[0] = -1;
  return make("view.default", {weight, make.integers(shape)});
}

//   group_norm(x)  =>  as layer_norm over x.view(N, groups, -1), weight of each channel
Result<Nodes> expand_group_norm(Graph& graph, Node node) {
  NFX_TRY(require_float(node, node.operand(0)));
  Context& context = graph.context();
  const Type type = node.operand(0).type();
  if (!is_row_major(context, type)) return no_expansion(node, "its input is not contiguous");
  const SymExprId groups = sym_int(context, int_argument(node, "group", 1));
  const SymExprId batch = type.sizes[0];
  const SymExprId members =
      sym_floordiv(context, count_of(context, type, dims_between(1, type.rank())), groups);
  Compose make(graph, node);
  const Node x = make.tensor(0);
  const Node rows = make("view.default", {x, make.sizes({batch, groups, members})});
  const auto dims = make.integers({2});
  const Node mean = make("mean.dim", {rows, dims, make.boolean(true)});
  const Node centered = make("sub.Tensor", {rows, mean});
  const Node rstd = inverse_deviation(make, centered, dims, real_argument(node, "eps"));
  const Node normal = make("view.default", {make("mul.Tensor", {centered, rstd}),
                                            make.sizes({type.sizes.begin(), type.sizes.end()})});
  const Node weight = per_channel(make, make.tensor("weight"), type.rank());
  const Node bias = per_channel(make, make.tensor("bias"), type.rank());
  const Node out = plus(make, times(make, normal, weight), bias);
  const auto statistics = make.sizes({batch, groups});
  return Nodes{weight || bias ? make.as_result(out, 0) : out,
               make.as_result(make("view.default", {mean, statistics}), 1),
               make.as_result(make("view.default", {rstd, statistics}), 2)};
}

// Number of degrees of freedom; a correction without fraction.
std::optional<SymExprId> freedom(Node node, const std::vector<int64_t>& dims) {
  Context& context = node.graph().context();
  const ArgumentView given = argument(node, "correction");
  const double correction = given && !given.is_none() ? given.as_number().value_or(0.5) : 1;
  if (correction != static_cast<double>(static_cast<int64_t>(correction))) return std::nullopt;
  const SymExprId minus = sym_int(context, -static_cast<int64_t>(correction));
  const SymExprId parts[] = {
      sym_add(context, count_of(context, node.operand(0).type(), dims), minus),
      sym_int(context, 0)};
  return sym(context, SymOp::kMax, parts);
}

struct Moments {
  Node mean, variance;
};

Result<Moments> moments(Graph& graph, Node node) {
  NFX_TRY(require_float(node, node.operand(0)));
  const std::vector<int64_t> reduced = reduced_dims(node);
  const auto divisor = freedom(node, reduced);
  if (!divisor) return no_expansion(node, "its correction is no integer");
  Compose make(graph, node);
  const Node x = make.tensor(0);
  const auto dims = make.integers(reduced);
  const auto keep = make.boolean(int_argument(node, "keepdim") != 0);
  const Node mean = make("mean.dim", {x, dims, make.boolean(true)});
  const Node centered = make("sub.Tensor", {x, mean});
  const Node squares = make("mul.Tensor", {centered, centered});
  const Node total = make("sum.dim_IntList", {squares, dims, keep});
  Moments result;
  result.variance = make("div.Scalar", {total, make.size(*divisor)});
  result.mean = int_argument(node, "keepdim") != 0
                    ? mean
                    : make("view.default", {mean, make.sizes(reduced_sizes(node, reduced, false))});
  return result;
}

Result<Nodes> expand_var(Graph& graph, Node node) {
  NFX_ASSIGN(const Moments m, moments(graph, node));
  return Nodes{Compose(graph, node).as_result(m.variance)};
}
Result<Nodes> expand_var_mean(Graph& graph, Node node) {
  NFX_ASSIGN(const Moments m, moments(graph, node));
  const Compose make(graph, node);
  return Nodes{make.as_result(m.variance, 0), make.as_result(m.mean, 1)};
}
Result<Nodes> expand_std(Graph& graph, Node node) {
  NFX_ASSIGN(const Moments m, moments(graph, node));
  const Compose make(graph, node);
  return Nodes{make.as_result(make("sqrt.default", {m.variance}))};
}

Result<Nodes> expand_std_mean(Graph& graph, Node node) {
  NFX_ASSIGN(const Moments m, moments(graph, node));
  const Compose make(graph, node);
  const Node deviation = make("sqrt.default", {m.variance});
  return Nodes{make.as_result(deviation, 0), make.as_result(m.mean, 1)};
}

Result<TypeId> moment_type(Node node) {
  return dense_type(node, node.operand(0).type().dtype,
                    reduced_sizes(node, reduced_dims(node), int_argument(node, "keepdim") != 0));
}

}  // namespace

NFX_OPS(layer_norm) {
  op("aten::native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, "
     "Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)")
      .expand(expand_layer_norm);
  op("aten::native_layer_norm_backward(Tensor grad_out, Tensor input, SymInt[] normalized_shape, "
     "Tensor mean, Tensor rstd, Tensor? weight, Tensor? bias, bool[3] output_mask) -> (Tensor, "
     "Tensor, Tensor)")
      .expand(expand_layer_norm_backward);
  op("aten::_fused_rms_norm(Tensor input, int[] normalized_shape, Tensor? weight, float? eps) -> "
     "(Tensor, Tensor)")
      .expand(expand_rms_norm);
  op("aten::_fused_rms_norm_backward(Tensor grad_out, Tensor input, int[] normalized_shape, "
     "Tensor rstd, Tensor? weight, bool[2] output_mask) -> (Tensor, Tensor)")
      .expand(expand_rms_norm_backward);
  op("aten::native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, "
     "SymInt HxW, int group, float eps) -> (Tensor, Tensor, Tensor)")
      .expand(expand_group_norm);
}

NFX_OPS(variance) {
  op("aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, "
     "bool keepdim=False) -> Tensor")
      .type(moment_type)
      .expand(expand_var);
  op("aten::std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, "
     "bool keepdim=False) -> Tensor")
      .type(moment_type)
      .expand(expand_std);
  op("aten::var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, "
     "bool keepdim=False) -> (Tensor, Tensor)")
      .expand(expand_var_mean);
  op("aten::std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, "
     "bool keepdim=False) -> (Tensor, Tensor)")
      .expand(expand_std_mean);
}

}  // namespace nfx
