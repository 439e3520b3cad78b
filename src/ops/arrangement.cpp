// Tensors put together from parts of others: each element is read from the one
// input that has it, or is a constant.
#include <algorithm>

#include "ops/define.h"
#include "ops/type_rules.h"
#include "ops/view_index.h"

namespace nfx {
namespace {

using Position = std::vector<Expr>;

Position position_of(const ElementContext& context) {
  return {context.index().begin(), context.index().end()};
}

Node self(const ElementContext& context) { return context.node().operand(0); }

// ---- cat, stack

constexpr size_t kMostParts = 16;  // beyond, a chain of choices is slower than copies

std::vector<Node> parts_of(Node node) {
  const ArgumentView list = argument(node, "tensors");
  std::vector<Node> parts;
  for (size_t i = 0; i < list.size(); ++i) parts.push_back(list.child(i).node());
  return parts;
}

std::string too_many_parts(Node node) {
  return parts_of(node).size() > kMostParts ? "it joins many tensors" : "";
}

// PyTorch skips a tensor of shape [0] whatever the others are.
bool is_skipped(const Context& context, Node part) {
  return part.type().rank() == 1 && as_int(context, part.type().sizes[0]) == 0;
}

size_t joined_dim(Node node, size_t rank) {
  return static_cast<size_t>(wrapped_dim(int_argument(node, "dim"), rank));
}

Expr joined(ElementContext& context) {
  const Node node = context.node();
  const Context& types = node.graph().context();
  const size_t dim = joined_dim(node, context.index().size());
  Position at = position_of(context);
  Expr value = literal(context.pool(), node.type().dtype, 0);
  Expr start = constant_position(context, 0);
  for (Node part : parts_of(node)) {
    if (is_skipped(types, part)) continue;
    const Expr end = start + context.size(part.type().sizes[dim]);
    const Expr there = (context.index()[dim] >= start) & (context.index()[dim] < end);
    at[dim] = context.index()[dim] - start;
    value = select(there, cast(context.read(part, at, there), node.type().dtype), value);
    start = end;
  }
  return value;
}

Result<TypeId> joined_type(Node node) {
  Context& context = node.graph().context();
  std::vector<SymExprId> sizes;
  size_t dim = 0;
  Dtype dtype = node.operand(0).type().dtype;
  for (Node part : parts_of(node)) {
    dtype = promote(dtype, part.type().dtype);
    if (is_skipped(context, part)) continue;
    const auto own = part.type().sizes;
    if (sizes.empty()) {
      sizes.assign(own.begin(), own.end());
      dim = joined_dim(node, own.size());
    } else {
      sizes[dim] = sym_add(context, sizes[dim], own[dim]);
    }
  }
  if (sizes.empty()) sizes.push_back(sym_int(context, 0));
  return dense_type(node, dtype, sizes);
}

Expr stacked(ElementContext& context) {
  const Node node = context.node();
  const size_t dim = joined_dim(node, context.index().size());
  Position at = position_of(context);
  at.erase(at.begin() + static_cast<ptrdiff_t>(dim));
  Expr value = literal(context.pool(), node.type().dtype, 0);
  int64_t number = 0;
  for (Node part : parts_of(node)) {
    const Expr there = context.index()[dim] == number++;
    value = select(there, cast(context.read(part, at, there), node.type().dtype), value);
  }
  return value;
}

Result<TypeId> stacked_type(Node node) {
  const std::vector<Node> parts = parts_of(node);
  const auto own = parts[0].type().sizes;
  std::vector<SymExprId> sizes(own.begin(), own.end());
  Dtype dtype = parts[0].type().dtype;
  for (Node part : parts) dtype = promote(dtype, part.type().dtype);
  const size_t dim = joined_dim(node, own.size() + 1);
  sizes.insert(sizes.begin() + static_cast<ptrdiff_t>(dim),
               sym_int(node.graph().context(), static_cast<int64_t>(parts.size())));
  return dense_type(node, dtype, sizes);
}

// ---- padding: `pad` gives (before, after) of the last dimension first

Expr padded(ElementContext& context) {
  const Node node = context.node();
  const auto pad = sym_list(node, argument(node, "pad"));
  const auto sizes = self(context).type().sizes;
  Position at = position_of(context);
  Expr inside = {&context.pool(), context.pool().constant(Dtype::kBool, int64_t{1})};
  for (size_t i = 0; pad && i < pad->size() / 2; ++i) {
    const size_t d = sizes.size() - 1 - i;
    at[d] = at[d] - context.size((*pad)[2 * i]);
    inside = inside & (at[d] >= 0) & (at[d] < context.size(sizes[d]));
  }
  const Dtype dtype = self(context).type().dtype;
  return select(inside, context.read(self(context), at, inside),
                number_argument(context, "value", dtype));
}

Result<TypeId> padded_type(Node node) {
  Context& context = node.graph().context();
  const Type& type = node.operand(0).type();
  std::vector<SymExprId> sizes(type.sizes.begin(), type.sizes.end());
  const auto pad = sym_list(node, argument(node, "pad"));
  for (size_t i = 0; pad && i < pad->size() / 2; ++i) {
    SymExprId& size = sizes[sizes.size() - 1 - i];
    size = sym_add(context, size, sym_add(context, (*pad)[2 * i], (*pad)[2 * i + 1]));
  }
  return dense_type(node, type.dtype, sizes);
}

std::string pad_problem(Node node) {
  return sym_list(node, argument(node, "pad")) ? "" : "its padding is not known";
}

// ---- the same elements elsewhere

Expr flipped(ElementContext& context) {
  const auto sizes = self(context).type().sizes;
  Position at = position_of(context);
  for (int64_t dim : int_list(argument(context.node(), "dims"))) {
    const auto d = static_cast<size_t>(wrapped_dim(dim, sizes.size()));
    if (d < at.size()) at[d] = context.size(sizes[d]) - 1 - at[d];
  }
  return context.read(self(context), at);
}

Expr rolled(ElementContext& context) {
  const Node node = context.node();
  const auto sizes = self(context).type().sizes;
  const auto shifts = sym_list(node, argument(node, "shifts"));
  const std::vector<int64_t> dims = int_list(argument(node, "dims"));
  Position at = position_of(context);
  auto moved = [&](Expr position, SymExprId shift, Expr size) {
    return remainder(position - context.size(shift), size);
  };
  if (dims.empty()) {
    Expr total = constant_position(context, 1);
    for (SymExprId size : sizes) total = total * context.size(size);
    const Expr from = moved(linear_position(context, at, sizes), (*shifts)[0], total);
    return context.read(self(context), position_to_index(context, from, sizes));
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    const auto d = static_cast<size_t>(wrapped_dim(dims[i], sizes.size()));
    at[d] = moved(at[d], (*shifts)[i], context.size(sizes[d]));
  }
  return context.read(self(context), at);
}

std::string roll_problem(Node node) {
  const auto shifts = sym_list(node, argument(node, "shifts"));
  return shifts && !shifts->empty() ? "" : "its shifts are not known";
}

Expr repeated(ElementContext& context) {
  const auto sizes = self(context).type().sizes;
  const size_t shift = context.index().size() - sizes.size();
  Position at;
  for (size_t d = 0; d < sizes.size(); ++d) {
    at.push_back(remainder(context.index()[d + shift], context.size(sizes[d])));
  }
  return context.read(self(context), at);
}

Result<TypeId> repeated_type(Node node) {
  Context& context = node.graph().context();
  const Type& type = node.operand(0).type();
  auto sizes = sym_list(node, argument(node, "repeats"));
  if (!sizes || sizes->size() < type.rank()) return like_first(node);
  const size_t shift = sizes->size() - type.rank();
  for (size_t d = 0; d < type.rank(); ++d) {
    (*sizes)[d + shift] = sym_mul(context, (*sizes)[d + shift], type.sizes[d]);
  }
  return dense_type(node, type.dtype, *sizes);
}

// Keeps what is on one side of a diagonal of the last two dimensions.
ElementRule triangle(bool upper) {
  return [upper](ElementContext& context) {
    const auto index = context.index();
    const Expr from = index[index.size() - 2] + number_argument(context, "diagonal", Dtype::kInt64);
    const Expr column = index[index.size() - 1];
    return select(upper ? column >= from : column <= from, context.aligned(self(context)), 0);
  };
}

}  // namespace

NFX_OPS(joins) {
  op("aten::cat(Tensor[] tensors, int dim=0) -> Tensor")
      .reads(joined)
      .type(joined_type)
      .refuses(too_many_parts);
  op("aten::stack(Tensor[] tensors, int dim=0) -> Tensor")
      .reads(stacked)
      .type(stacked_type)
      .refuses(too_many_parts);
  op("aten::constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor")
      .reads(padded)
      .type(padded_type)
      .refuses(pad_problem);
}

NFX_OPS(moves) {
  op("aten::flip(Tensor self, int[] dims) -> Tensor").reads(flipped).type(like_first);
  op("aten::roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor")
      .reads(rolled)
      .type(like_first)
      .refuses(roll_problem);
  op("aten::repeat(Tensor self, SymInt[] repeats) -> Tensor").reads(repeated).type(repeated_type);
  op("aten::tril(Tensor self, SymInt diagonal=0) -> Tensor")
      .element(triangle(false))
      .type(like_first);
  op("aten::triu(Tensor self, SymInt diagonal=0) -> Tensor")
      .element(triangle(true))
      .type(like_first);
}

}  // namespace nfx
