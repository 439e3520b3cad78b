// Splits: several views of one tensor, as one slice or selection each.
#include "ops/compose.h"
#include "ops/define.h"
#include "ops/type_rules.h"

namespace nfx {
namespace {

using Nodes = std::vector<Node>;

// How many parts there are stands in the type of the node.
Result<size_t> count_parts(Node node) {
  const Type& type = node.type();
  const bool known = type.kind == TypeKind::kTuple || type.kind == TypeKind::kList;
  if (!known) return no_expansion(node, "the number of its parts is not known");
  return type.elements.size();
}

Compose::Operand dim_operand(const Compose& make, Node node) {
  return make.integer(wrapped_dim(int_argument(node, "dim"), node.operand(0).type().rank()));
}

//   split(x, n)  =>  x[0:n], x[n:2n], ...
Result<Nodes> expand_slices(Graph& graph, Node node) {
  NFX_ASSIGN(const size_t count, count_parts(node));
  Context& context = graph.context();
  const auto sizes = sym_list(node, argument(node, 1));
  if (!sizes || (sizes->size() != 1 && sizes->size() != count)) {
    return no_expansion(node, "the sizes of its parts are not known");
  }
  const auto dim =
      static_cast<size_t>(wrapped_dim(int_argument(node, "dim"), node.operand(0).type().rank()));
  Compose make(graph, node);
  Nodes parts;
  SymExprId start = sym_int(context, 0);
  for (size_t i = 0; i < count; ++i) {
    SymExprId end = sym_add(context, start, (*sizes)[sizes->size() == 1 ? 0 : i]);
    if (i + 1 == count) end = node.operand(0).type().sizes[dim];
    const Node part = make("slice.Tensor", {node.operand(0), dim_operand(make, node),
                                            make.size(start), make.size(end)});
    parts.push_back(make.as_result(part, static_cast<int>(i)));
    start = end;
  }
  return parts;
}

//   unbind(x)  =>  x[0], x[1], ...
Result<Nodes> expand_selections(Graph& graph, Node node) {
  NFX_ASSIGN(const size_t count, count_parts(node));
  Compose make(graph, node);
  Nodes parts;
  for (size_t i = 0; i < count; ++i) {
    const Node part = make("select.int", {node.operand(0), dim_operand(make, node),
                                          make.integer(static_cast<int64_t>(i))});
    parts.push_back(make.as_result(part, static_cast<int>(i)));
  }
  return parts;
}

}  // namespace

NFX_OPS(splits) {
  op("aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]")
      .expand(expand_slices)
      .traits({Trait::kMayAlias});
  op("aten::split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]")
      .expand(expand_slices)
      .traits({Trait::kMayAlias});
  op("aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]")
      .expand(expand_selections)
      .traits({Trait::kMayAlias});
}

}  // namespace nfx
