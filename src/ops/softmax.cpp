// Softmax and what is made of it, as the simpler ops that fuse into one kernel.
#include "ops/compose.h"
#include "ops/define.h"
#include "ops/reductions.h"
#include "ops/type_rules.h"

namespace nfx {
namespace {

using Nodes = std::vector<Node>;

// Computing in another dtype than the input's happens only for half on devices.
Status require_same_dtype(Node node) {
  if (int_argument(node, "half_to_float") != 0) return no_expansion(node, "it changes the dtype");
  const auto input = dtype_argument(node, "input_dtype");
  if (input && *input != node.operand(0).type().dtype) {
    return no_expansion(node, "it changes the dtype");
  }
  return require_float(node, node.operand(0));
}

struct Along {
  Compose::Operand dims, keep;
};

Along along(const Compose& make, Node node) {
  return {make.integers(reduced_dims(node)), make.boolean(true)};
}

//   softmax(x)  =>  e = exp(x - amax(x)); e / sum(e)
Result<Nodes> expand_softmax(Graph& graph, Node node) {
  NFX_TRY(require_same_dtype(node));
  Compose make(graph, node);
  const Node x = make.tensor(0);
  const auto [dims, keep] = along(make, node);
  const Node largest = make("amax.default", {x, dims, keep});
  const Node powers = make("exp.default", {make("sub.Tensor", {x, largest})});
  const Node total = make("sum.dim_IntList", {powers, dims, keep});
  return Nodes{make.as_result(make("div.Tensor", {powers, total}))};
}

//   log_softmax(x)  =>  t = x - amax(x); t - log(sum(exp(t)))
Result<Nodes> expand_log_softmax(Graph& graph, Node node) {
  NFX_TRY(require_same_dtype(node));
  Compose make(graph, node);
  const Node x = make.tensor(0);
  const auto [dims, keep] = along(make, node);
  const Node shifted = make("sub.Tensor", {x, make("amax.default", {x, dims, keep})});
  const Node total = make("sum.dim_IntList", {make("exp.default", {shifted}), dims, keep});
  return Nodes{make.as_result(make("sub.Tensor", {shifted, make("log.default", {total})}))};
}

//   grad, y  =>  (grad - sum(grad * y)) * y
Result<Nodes> expand_softmax_backward(Graph& graph, Node node) {
  NFX_TRY(require_same_dtype(node));
  Compose make(graph, node);
  const Node grad = make.tensor(0), y = make.tensor(1);
  const auto [dims, keep] = along(make, node);
  const Node total = make("sum.dim_IntList", {make("mul.Tensor", {grad, y}), dims, keep});
  return Nodes{make.as_result(make("mul.Tensor", {make("sub.Tensor", {grad, total}), y}))};
}

//   grad, y  =>  grad - exp(y) * sum(grad)
Result<Nodes> expand_log_softmax_backward(Graph& graph, Node node) {
  NFX_TRY(require_same_dtype(node));
  Compose make(graph, node);
  const Node grad = make.tensor(0), y = make.tensor(1);
  const auto [dims, keep] = along(make, node);
  const Node total = make("sum.dim_IntList", {grad, dims, keep});
  const Node part = make("mul.Tensor", {make("exp.default", {y}), total});
  return Nodes{make.as_result(make("sub.Tensor", {grad, part}))};
}

//   logsumexp(x)  =>  m = amax(x), 0 where infinite; log(sum(exp(x - m))) + m
Result<Nodes> expand_logsumexp(Graph& graph, Node node) {
  NFX_TRY(require_float(node, node.operand(0)));
  Compose make(graph, node);
  const Node x = make.tensor(0);
  const std::vector<int64_t> reduced = reduced_dims(node);
  const bool keepdim = int_argument(node, "keepdim") != 0;
  const auto dims = make.integers(reduced), keep = make.boolean(true);
  const Node largest = make("amax.default", {x, dims, keep});
  const Node infinite = make("isinf.default", {largest});
  const Node shift = make("masked_fill.Scalar", {largest, infinite, make.integer(0)});
  const Node powers = make("exp.default", {make("sub.Tensor", {x, shift})});
  const Node total = make("sum.dim_IntList", {powers, dims, make.boolean(keepdim)});
  const Node offset =
      keepdim ? shift
              : make("view.default", {shift, make.sizes(reduced_sizes(node, reduced, false))});
  return Nodes{make.as_result(make("add.Tensor", {make("log.default", {total}), offset}))};
}

Result<TypeId> logsumexp_type(Node node) {
  const bool keepdim = int_argument(node, "keepdim") != 0;
  const Dtype own = node.operand(0).type().dtype;
  return dense_type(node, is_floating(own) ? own : Dtype::kFloat32,
                    reduced_sizes(node, reduced_dims(node), keepdim));
}

}  // namespace

NFX_OPS(softmax) {
  op("aten::_softmax(Tensor self, int dim, bool half_to_float) -> Tensor")
      .type(like_first)
      .expand(expand_softmax);
  op("aten::_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor")
      .type(like_first)
      .expand(expand_log_softmax);
  op("aten::_softmax_backward_data(Tensor grad_output, Tensor output, int dim, "
     "ScalarType input_dtype) -> Tensor")
      .type(like_first)
      .expand(expand_softmax_backward);
  op("aten::_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, "
     "ScalarType input_dtype) -> Tensor")
      .type(like_first)
      .expand(expand_log_softmax_backward);
  op("aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor")
      .type(logsumexp_type)
      .expand(expand_logsumexp);
}

}  // namespace nfx
