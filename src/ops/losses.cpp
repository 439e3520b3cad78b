// Losses and their gradients.
#include "ops/compose.h"
#include "ops/define.h"
#include "ops/reductions.h"
#include "ops/type_rules.h"

namespace nfx {
namespace {

using Nodes = std::vector<Node>;

enum Reduction : int64_t { kEach = 0, kMean = 1, kSum = 2 };

int64_t reduction_of(Node node) { return int_argument(node, "reduction", kMean); }

Node reduced(const Compose& make, Node node, Node each) {
  switch (reduction_of(node)) {
    case kMean: return make("mean.default", {each});
    case kSum: return make("sum.default", {each});
    default: return each;
  }
}

Result<TypeId> loss_type(Node node) {
  if (reduction_of(node) == kEach) return pointwise_type(node);
  return dense_type(node, node.operand(0).type().dtype, {});
}

Result<Nodes> expand_mse(Graph& graph, Node node) {
  NFX_TRY(require_float(node, node.operand(0)));
  Compose make(graph, node);
  const Node d = make("sub.Tensor", {make.tensor(0), make.tensor(1)});
  return Nodes{make.as_result(reduced(make, node, make("mul.Tensor", {d, d})))};
}

//   (self - target) * grad * 2, over the number of elements for a mean
Result<Nodes> expand_mse_backward(Graph& graph, Node node) {
  NFX_TRY(require_float(node, node.operand(1)));
  Compose make(graph, node);
  const Node grad = make.tensor(0), self = make.tensor(1), target = make.tensor(2);
  const Node d = make("sub.Tensor", {self, target});
  Node scaled = make("mul.Scalar", {d, make.real(2)});
  if (reduction_of(node) == kMean) {
    const SymExprId count =
        count_of(graph.context(), self.type(), dims_between(0, self.type().rank()));
    scaled = make("div.Scalar", {scaled, make.size(count)});
  }
  return Nodes{make.as_result(make("mul.Tensor", {scaled, grad}))};
}

// ---- negative log likelihood: the element of each row that the target names

struct Rows {
  Node valid;   // bool, of each row
  Node chosen;  // int64: the target, 0 where it is to be ignored
};

Rows rows_of(const Compose& make, Node node, Node target) {
  const Compose::Operand ignored = make.integer(int_argument(node, "ignore_index", -100));
  const Node is_ignored = make("eq.Scalar", {target, ignored});
  return {make("logical_not.default", {is_ignored}),
          make("masked_fill.Scalar", {target, is_ignored, make.integer(0)})};
}

// Weight of each row: that of its class, 0 where it is ignored.
Node row_weights(const Compose& make, Node weight, const Rows& rows, Node like) {
  const Node each = weight ? make("index_select.default", {weight, make.integer(0), rows.chosen})
                           : make("ones_like.default", {like});
  return make("mul.Tensor", {each, rows.valid});
}

Result<Nodes> expand_nll(Graph& graph, Node node) {
  const Node target = node.operand(1);
  NFX_TRY(require_float(node, node.operand(0)));
  if (node.operand(0).type().rank() != 2 || target.type().rank() != 1) {
    return no_expansion(node, "its input has one dimension");
  }
  Compose make(graph, node);
  const Node self = make.tensor(0);
  const Rows rows = rows_of(make, node, target);
  const Node at = make("unsqueeze.default", {rows.chosen, make.integer(1)});
  const Node picked = make("gather.default", {self, make.integer(1), at});
  const Node likelihood = make("squeeze.dim", {picked, make.integer(1)});
  const Node weights = row_weights(make, make.tensor("weight"), rows, likelihood);
  const Node ignored = make("logical_not.default", {rows.valid});
  const Node weighted = make("mul.Tensor", {make("neg.default", {likelihood}), weights});
  const Node each = make("masked_fill.Scalar", {weighted, ignored, make.integer(0)});
  const Node total = make("sum.default", {weights});
  switch (reduction_of(node)) {
    case kMean: {
      const Node mean = make("div.Tensor", {make("sum.default", {each}), total});
      return Nodes{make.as_result(mean, 0), make.as_result(total, 1)};
    }
    case kSum:
      return Nodes{make.as_result(make("sum.default", {each}), 0), make.as_result(total, 1)};
    default:
      return Nodes{make.as_result(each, 0), make.as_result(make("zeros_like.default", {total}), 1)};
  }
}

// -weight[target] * grad at the target of each row, else 0
Expr nll_backward(ElementContext& context) {
  const Node node = context.node();
  const Node grad = argument(node, "grad_output").node();
  const Node target = argument(node, "target").node();
  const Node weight = argument(node, "weight").node();
  const auto index = context.index();
  const auto row = index.first(index.size() - 1);
  const Expr wanted = cast(context.read(target, row), Dtype::kInt64);
  const Expr here = (wanted == index.back()) & (wanted != int_argument(node, "ignore_index", -100));
  const bool each = reduction_of(node) == kEach;
  const Dtype dtype = arithmetic_dtype(grad.type().dtype);
  Expr slope = cast(context.read(grad, each ? row : row.first(0)), dtype);
  if (reduction_of(node) == kMean) {
    slope = slope / cast(context.read(argument(node, "total_weight").node(), {}), dtype);
  }
  if (weight) slope = slope * cast(context.read(weight, index.last(1)), dtype);
  return select(here, -slope, 0);
}

std::string nll_backward_problem(Node node) {
  return argument(node, "self").node().type().rank() > 2 ? "its input has more dimensions" : "";
}

Result<TypeId> like_self(Node node) {
  const Type& type = argument(node, "self").node().type();
  return dense_type(node, type.dtype, {type.sizes.begin(), type.sizes.end()});
}

}  // namespace

NFX_OPS(losses) {
  op("aten::mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor")
      .type(loss_type)
      .expand(expand_mse);
  op("aten::mse_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction) -> "
     "Tensor")
      .type(like_self)
      .expand(expand_mse_backward);
  op("aten::nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int reduction, "
     "SymInt ignore_index) -> (Tensor output, Tensor total_weight)")
      .expand(expand_nll);
  op("aten::nll_loss_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, "
     "int reduction, SymInt ignore_index, Tensor total_weight) -> Tensor")
      .reads(nll_backward)
      .type(like_self)
      .refuses(nll_backward_problem);
}

}  // namespace nfx
