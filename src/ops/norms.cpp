// Lengths of vectors, and sums and counts that leave something out.
#include <limits>

#include "ops/compose.h"
#include "ops/define.h"
#include "ops/reductions.h"
#include "ops/type_rules.h"

namespace nfx {
namespace {

using Nodes = std::vector<Node>;

bool keeps(Node node) { return int_argument(node, "keepdim") != 0; }

Dtype made_dtype(Node node) {
  return dtype_argument(node, "dtype").value_or(node.operand(0).type().dtype);
}

Result<TypeId> norm_type(Node node) {
  return dense_type(node, made_dtype(node), reduced_sizes(node, reduced_dims(node), keeps(node)));
}

// Sum of a value over the node's dimensions.
Node total(const Compose& make, Node node, Node value) {
  return make("sum.dim_IntList",
              {value, make.integers(reduced_dims(node)), make.boolean(keeps(node))});
}

//   norm(x, p)  =>  sum(abs(x) ** p) ** (1 / p), and what that is at 0, 1, 2 and infinity
Node length(const Compose& make, Node node, Node x, double order) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (order == 2) return make("sqrt.default", {total(make, node, make("mul.Tensor", {x, x}))});
  if (order == 0) {
    const Node counted = make("ne.Scalar", {x, make.integer(0)});
    return total(make, node, make.as_dtype(counted, x.type().dtype));
  }
  const Node size = make("abs.default", {x});
  if (order == 1) return total(make, node, size);
  if (order == kInfinity || order == -kInfinity) {
    return make(order > 0 ? "amax.default" : "amin.default",
                {size, make.integers(reduced_dims(node)), make.boolean(keeps(node))});
  }
  const Node powers = total(make, node, make("pow.Tensor_Scalar", {size, make.real(order)}));
  return make("pow.Tensor_Scalar", {powers, make.real(1 / order)});
}

ExpandRule expand_norm(std::string_view order) {
  return [order](Graph& graph, Node node) -> Result<Nodes> {
    NFX_TRY(require_float(node, node.operand(0)));
    const ArgumentView given = argument(node, order);
    const auto p = given && !given.is_none() ? given.as_number() : std::optional<double>(2);
    if (!p) return no_expansion(node, "its order is not known");
    Compose make(graph, node);
    const Node x = make.as_dtype(make.tensor(0), arithmetic_dtype(made_dtype(node)));
    return Nodes{make.as_result(length(make, node, x, *p))};
  };
}

// ---- sums and counts

Dtype sum_dtype(Node node) {
  const Dtype made = made_dtype(node);
  if (dtype_argument(node, "dtype")) return made;
  return is_floating(made) ? made : Dtype::kInt64;
}

Result<TypeId> sum_type(Node node) {
  return dense_type(node, sum_dtype(node), reduced_sizes(node, reduced_dims(node), keeps(node)));
}

//   nansum(x)  =>  sum(x, 0 where NaN)
Result<Nodes> expand_nansum(Graph& graph, Node node) {
  NFX_TRY(require_float(node, node.operand(0)));
  Compose make(graph, node);
  const Node x = make.as_dtype(make.tensor(0), arithmetic_dtype(sum_dtype(node)));
  const Node missing = make("isnan.default", {x});
  const Node known = make("masked_fill.Scalar", {x, missing, make.integer(0)});
  return Nodes{make.as_result(total(make, node, known))};
}

Result<TypeId> count_type(Node node) {
  return dense_type(node, Dtype::kInt64, reduced_sizes(node, reduced_dims(node), false));
}

//   count_nonzero(x)  =>  sum(x != 0)
Result<Nodes> expand_count(Graph& graph, Node node) {
  Compose make(graph, node);
  return Nodes{
      make.as_result(total(make, node, make("ne.Scalar", {make.tensor(0), make.integer(0)})))};
}

//   aminmax(x)  =>  amin(x), amax(x)
Result<Nodes> expand_extrema(Graph& graph, Node node) {
  Compose make(graph, node);
  const auto dims = make.integers(reduced_dims(node)), keep = make.boolean(keeps(node));
  const Node x = node.operand(0);
  return Nodes{make.as_result(make("amin.default", {x, dims, keep}), 0),
               make.as_result(make("amax.default", {x, dims, keep}), 1)};
}

}  // namespace

NFX_OPS(norms) {
  op("aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, "
     "*, ScalarType? dtype=None) -> Tensor")
      .type(norm_type)
      .expand(expand_norm("ord"));
  for (const char* schema :
       {"aten::norm.Scalar(Tensor self, Scalar p=2) -> Tensor",
        "aten::norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> "
        "Tensor",
        "aten::norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, "
        "ScalarType dtype) -> Tensor",
        "aten::norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor"}) {
    op(schema).type(norm_type).expand(expand_norm("p"));
  }
}

NFX_OPS(partial_sums) {
  op("aten::nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) "
     "-> Tensor")
      .type(sum_type)
      .expand(expand_nansum);
  op("aten::count_nonzero(Tensor self, int? dim=None) -> Tensor")
      .type(count_type)
      .expand(expand_count);
  op("aten::count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor")
      .type(count_type)
      .expand(expand_count);
  op("aten::aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor "
     "max)")
      .expand(expand_extrema);
}

}  // namespace nfx
