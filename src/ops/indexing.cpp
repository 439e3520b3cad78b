// Gathers: elements of one input at positions that another input gives. A position
// outside of the input is an error where the positions are in memory; one that is
// computed in the kernel itself reads nothing and gives zero.
#include <algorithm>

#include "ops/compose.h"
#include "ops/define.h"
#include "ops/type_rules.h"
#include "ops/view_index.h"

namespace nfx {
namespace {

size_t dim_argument(Node node) {
  return static_cast<size_t>(wrapped_dim(int_argument(node, "dim"), node.operand(0).type().rank()));
}

// Whether the position that `index` gives is inside; nothing where that is made sure.
Expr inside(ElementContext& context, Node index, Expr position, SymExprId size,
            bool negative = false) {
  if (context.bounded(index, size, negative)) return {};
  return (position >= 0) & (position < context.size(size));
}

Expr both(Expr a, Expr b) {
  if (a.id == kNoExpr) return b;
  return b.id == kNoExpr ? a : a & b;
}

Expr position_at(ElementContext& context, Node index, std::span<const Expr> at) {
  return cast(context.read(index, at), Dtype::kInt64);
}

// out[i.., p, j..] = self[i.., index[p], j..]
Expr index_select(ElementContext& context) {
  const Node node = context.node();
  const Node self = node.operand(0), index = node.operand(1);
  if (self.type().rank() == 0) return context.read(self, {});
  const size_t dim = dim_argument(node);
  std::vector<Expr> at(context.index().begin(), context.index().end());
  const std::span<const Expr> place(&at[dim], index.type().rank());  // index may have no dimension
  at[dim] = position_at(context, index, place);
  return context.read(self, at, inside(context, index, at[dim], self.type().sizes[dim]));
}

Result<TypeId> index_select_type(Node node) {
  const Type& self = node.operand(0).type();
  const Type& index = node.operand(1).type();
  std::vector<SymExprId> sizes(self.sizes.begin(), self.sizes.end());
  if (!sizes.empty()) {
    sizes[dim_argument(node)] =
        index.rank() > 0 ? index.sizes[0] : sym_int(node.graph().context(), 1);
  }
  return dense_type(node, self.dtype, sizes);
}

// out[i.., f] = weight[indices[i..], f]
Expr embedding(ElementContext& context) {
  const Node weight = context.node().operand(0), indices = context.node().operand(1);
  const auto index = context.index();
  const Expr row = position_at(context, indices, index.first(index.size() - 1));
  const Expr at[] = {row, index.back()};
  return context.read(weight, at, inside(context, indices, row, weight.type().sizes[0]));
}

Result<TypeId> embedding_type(Node node) {
  const Type& indices = node.operand(1).type();
  std::vector<SymExprId> sizes(indices.sizes.begin(), indices.sizes.end());
  sizes.push_back(node.operand(0).type().sizes[1]);
  return dense_type(node, node.operand(0).type().dtype, sizes);
}

// out[i..] = self[i.. with position dim replaced by index[i..]]
Expr gather(ElementContext& context) {
  const Node node = context.node();
  const Node self = node.operand(0), index = node.operand(1);
  std::vector<Expr> at(context.index().begin(), context.index().end());
  if (self.type().rank() == 0) return context.read(self, {});
  const size_t dim = dim_argument(node);
  at[dim] = position_at(context, index, context.index().first(index.type().rank()));
  return context.read(self, at, inside(context, index, at[dim], self.type().sizes[dim]));
}

Result<TypeId> gather_type(Node node) {
  const Type& index = node.operand(1).type();
  return dense_type(node, node.operand(0).type().dtype, {index.sizes.begin(), index.sizes.end()});
}

// ---- self[indices], as Python writes it: index tensors broadcast together; their
// dimensions stand where the first one does, or in front if others lie between.

struct Indices {
  std::vector<Node> of_dim;  // none: the dimension is kept
  size_t rank = 0;           // of the broadcast index tensors
  size_t place = 0;          // where their dimensions stand in the result
  size_t count = 0;
};

Indices indices_of(Node node) {
  Indices indices;
  const ArgumentView list = argument(node, "indices");
  indices.of_dim.resize(node.operand(0).type().rank());
  size_t first = 0, last = 0;
  for (size_t d = 0; d < std::min(list.size(), indices.of_dim.size()); ++d) {
    const Node index = list.child(d).node();
    if (!index) continue;
    indices.of_dim[d] = index;
    indices.rank = std::max(indices.rank, index.type().rank());
    if (indices.count++ == 0) first = d;
    last = d;
  }
  indices.place = indices.count == last - first + 1 ? first : 0;
  return indices;
}

std::string index_problem(Node node) {
  const Indices indices = indices_of(node);
  for (Node index : indices.of_dim) {
    if (index && !is_integral(index.type().dtype)) return "an index is a mask";
  }
  return indices.count == 0 ? "it has no index" : "";
}

Expr wrapped(ElementContext& context, Expr position, SymExprId size) {
  return select(position < 0, position + context.size(size), position);
}

Expr indexed(ElementContext& context) {
  const Node self = context.node().operand(0);
  const Context& types = context.node().graph().context();
  const Indices indices = indices_of(context.node());
  const auto index = context.index();
  std::vector<Expr> at;
  Expr guard;
  size_t kept = 0;
  for (size_t d = 0; d < indices.of_dim.size(); ++d) {
    const Node by = indices.of_dim[d];
    if (!by) {
      const size_t out = kept < indices.place ? kept : kept + indices.rank;
      at.push_back(index[out]);
      ++kept;
      continue;
    }
    std::vector<Expr> place;
    const auto sizes = by.type().sizes;
    for (size_t i = 0; i < sizes.size(); ++i) {
      const Expr there = index[indices.place + indices.rank - sizes.size() + i];
      place.push_back(as_int(types, sizes[i]) == 1 ? constant_position(context, 0) : there);
    }
    const SymExprId size = self.type().sizes[d];
    at.push_back(wrapped(context, position_at(context, by, place), size));
    guard = both(guard, inside(context, by, at.back(), size, true));
  }
  return context.read(self, at, guard);
}

Result<TypeId> indexed_type(Node node) {
  Context& context = node.graph().context();
  const Indices indices = indices_of(node);
  const Type& self = node.operand(0).type();
  std::vector<SymExprId> broadcast(indices.rank, sym_int(context, 1)), sizes;
  for (size_t d = 0; d < indices.of_dim.size(); ++d) {
    const Node index = indices.of_dim[d];
    if (!index) {
      sizes.push_back(self.sizes[d]);
      continue;
    }
    const auto own = index.type().sizes;
    for (size_t i = 0; i < own.size(); ++i) {
      if (as_int(context, own[i]) != 1) broadcast[indices.rank - own.size() + i] = own[i];
    }
  }
  const auto at = sizes.begin() + static_cast<ptrdiff_t>(indices.place);
  sizes.insert(at, broadcast.begin(), broadcast.end());
  return dense_type(node, self.dtype, sizes);
}

// out[i..] = self.reshape(-1)[index[i..]]
Expr taken(ElementContext& context) {
  const Node self = context.node().operand(0), index = context.node().operand(1);
  const auto sizes = self.type().sizes;
  Context& types = context.node().graph().context();
  const SymExprId count = count_of(types, self.type(), dims_between(0, sizes.size()));
  const Expr position = wrapped(context, position_at(context, index, context.index()), count);
  return context.read(self, position_to_index(context, position, sizes),
                      inside(context, index, position, count, true));
}

Result<TypeId> taken_type(Node node) {
  const Type& index = node.operand(1).type();
  return dense_type(node, node.operand(0).type().dtype, {index.sizes.begin(), index.sizes.end()});
}

}  // namespace

NFX_OPS(gathers) {
  op("aten::take(Tensor self, Tensor index) -> Tensor")
      .reads(taken)
      .type(taken_type)
      .traits({Trait::kGather});
  op("aten::index_select(Tensor self, int dim, Tensor index) -> Tensor")
      .reads(index_select)
      .type(index_select_type)
      .traits({Trait::kGather});
  op("aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, "
     "bool scale_grad_by_freq=False, bool sparse=False) -> Tensor")
      .reads(embedding)
      .type(embedding_type)
      .traits({Trait::kGather});
  op("aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor")
      .reads(gather)
      .type(gather_type)
      .traits({Trait::kGather});
  for (const char* schema :
       {"aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
        "aten::_unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor"}) {
    op(schema).reads(indexed).type(indexed_type).refuses(index_problem).traits({Trait::kGather});
  }
}

}  // namespace nfx
