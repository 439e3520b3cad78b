// A tensor with one part replaced, and the gradients of select and slice, which
// are that on zeros.
#include "ops/define.h"
#include "ops/type_rules.h"
#include "ops/view_index.h"

namespace nfx {
namespace {

// Where an element of the whole stands in the part, and whether it is in it.
struct InPart {
  std::vector<Expr> at;
  Expr there;
};

SymExprId zero(Node node) { return sym_int(node.graph().context(), 0); }

SymExprId number_or(Node node, std::string_view name, SymExprId otherwise) {
  const ArgumentView view = argument(node, name);
  if (!view || view.is_none()) return otherwise;
  return sym_argument(node, view).value_or(otherwise);
}

size_t dim_of(ElementContext& context) {
  return static_cast<size_t>(
      wrapped_dim(int_argument(context.node(), "dim"), context.index().size()));
}

InPart in_selected(ElementContext& context, SymExprId whole) {
  const Node node = context.node();
  const size_t dim = dim_of(context);
  InPart part{{context.index().begin(), context.index().end()}, {}};
  const SymExprId index = number_or(node, "index", zero(node));
  part.there = part.at[dim] == context.size(wrapped_position(node.graph().context(), index, whole));
  part.at.erase(part.at.begin() + static_cast<ptrdiff_t>(dim));
  return part;
}

InPart in_slice(ElementContext& context, SymExprId whole) {
  const Node node = context.node();
  Context& types = node.graph().context();
  const size_t dim = dim_of(context);
  InPart part{{context.index().begin(), context.index().end()}, {}};
  const SymExprId start = wrapped_position(types, number_or(node, "start", zero(node)), whole);
  const SymExprId end = wrapped_position(types, number_or(node, "end", whole), whole);
  const SymExprId step = number_or(node, "step", sym_int(types, 1));
  const Expr here = part.at[dim], from = here - context.size(start);
  part.there = (from >= 0) & (here < context.size(end));
  part.at[dim] = from;
  if (as_int(types, step) != 1) {
    part.there = part.there & (remainder(from, context.size(step)) == 0);
    part.at[dim] = floordiv(from, context.size(step));
  }
  return part;
}

using Finder = InPart (*)(ElementContext&, SymExprId);

// self with the part replaced by src
ElementRule replaced(Finder find) {
  return [find](ElementContext& context) {
    const Node node = context.node();
    const Node self = node.operand(0), src = node.operand(1);
    const InPart part = find(context, self.type().sizes[dim_of(context)]);
    const Expr there = cast(context.read(src, part.at, part.there), self.type().dtype);
    return select(part.there, there, context.read(self, context.index(), !part.there));
  };
}

// zeros with the part replaced by the gradient
ElementRule placed(Finder find) {
  return [find](ElementContext& context) {
    const Node node = context.node();
    const auto sizes = sym_list(node, argument(node, "input_sizes"));
    const InPart part = find(context, (*sizes)[dim_of(context)]);
    const Expr there = context.read(node.operand(0), part.at, part.there);
    return select(part.there, there, 0);
  };
}

Result<TypeId> placed_type(Node node) {
  const auto sizes = sym_list(node, argument(node, "input_sizes"));
  if (!sizes) return like_first(node);
  return dense_type(node, node.operand(0).type().dtype, *sizes);
}

// Positions that are numbers of the graph, not of a tensor's data.
std::string position_problem(Node node) {
  for (const char* name : {"index", "start", "end", "step"}) {
    const ArgumentView view = argument(node, name);
    if (view && !view.is_none() && !sym_argument(node, view)) return "its position is not known";
  }
  const ArgumentView sizes = argument(node, "input_sizes");
  return sizes && !sym_list(node, sizes) ? "its size is not known" : "";
}

}  // namespace

NFX_OPS(part_writes) {
  op("aten::select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> Tensor")
      .reads(replaced(in_selected))
      .type(like_first)
      .refuses(position_problem);
  op("aten::slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, "
     "SymInt? end=None, SymInt step=1) -> Tensor")
      .reads(replaced(in_slice))
      .type(like_first)
      .refuses(position_problem);
  op("aten::select_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt index) -> "
     "Tensor")
      .reads(placed(in_selected))
      .type(placed_type)
      .refuses(position_problem);
  op("aten::slice_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt start, "
     "SymInt end, SymInt step) -> Tensor")
      .reads(placed(in_slice))
      .type(placed_type)
      .refuses(position_problem);
}

}  // namespace nfx
