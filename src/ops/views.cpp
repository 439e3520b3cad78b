// Views: results that share the memory of operand 0.
#include <algorithm>
#include <numeric>

#include "ops/type_rules.h"
#include "ops/view_index.h"

namespace nfx {
namespace {

struct BadView {
  static constexpr std::string_view kCode = "bad-view";
  std::string op;
  std::string message() const { return "`" + op + "` does not fit the strides of its input"; }
  std::string help() const { return "copy the input first (aten.clone), or use aten.reshape"; }
};
NFX_DIAGNOSTIC(BadView);

Diagnostic bad_view(Node node) { return diagnose(BadView{std::string(node.target())}); }

Node input(const ElementContext& context) { return context.node().operand(0); }

// The input's type with other sizes and strides.
TypeId with_layout(Node node, std::vector<SymExprId> sizes, std::vector<SymExprId> strides) {
  Context& context = node.graph().context();
  Type type = node.operand(0).type();
  type.sizes = sizes;
  type.strides = strides;
  return context.intern(type);
}

std::vector<SymExprId> list(std::span<const SymExprId> ids) { return {ids.begin(), ids.end()}; }

// ---- same elements, another shape

// The dimensions that hold more than one position.
std::vector<size_t> wide_dims(Context& context, std::span<const SymExprId> sizes) {
  std::vector<size_t> dims;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (as_int(context, sizes[d]) != 1) dims.push_back(d);
  }
  return dims;
}

// Outer and inner dimensions that a reshape keeps keep their positions; what
// stands between them goes through the row-major position.
Expr reshaped(ElementContext& context) {
  Context& types = context.node().graph().context();
  const auto from = input(context).type().sizes, to = context.node().type().sizes;
  std::vector<size_t> in = wide_dims(types, from), out = wide_dims(types, to);
  std::vector<Expr> index(from.size(), constant_position(context, 0));
  const auto keep = [&](auto in_dim, auto out_dim) {
    if (!known_equal(types, from[*in_dim], to[*out_dim])) return false;
    index[*in_dim] = context.index()[*out_dim];
    in.erase(in_dim);
    out.erase(out_dim);
    return true;
  };
  while (!in.empty() && !out.empty() && keep(in.begin(), out.begin())) {
  }
  while (!in.empty() && !out.empty() && keep(in.end() - 1, out.end() - 1)) {
  }
  std::vector<Expr> between;
  std::vector<SymExprId> from_sizes, to_sizes;
  for (const size_t d : in) from_sizes.push_back(from[d]);
  for (const size_t d : out) {
    between.push_back(context.index()[d]);
    to_sizes.push_back(to[d]);
  }
  const std::vector<Expr> middle =
      position_to_index(context, linear_position(context, between, to_sizes), from_sizes);
  for (size_t i = 0; i < in.size(); ++i) index[in[i]] = middle[i];
  return context.read(input(context), index);
}

SymExprId product(Context& context, std::span<const SymExprId> sizes) {
  SymExprId total = sym_int(context, 1);
  for (SymExprId size : sizes) total = sym_mul(context, total, size);
  return total;
}

// Sizes with the -1 replaced by what is left.
std::optional<std::vector<SymExprId>> requested_sizes(Node node) {
  Context& context = node.graph().context();
  std::optional<std::vector<SymExprId>> sizes = sym_list(node, argument(node, 1));
  if (!sizes) return std::nullopt;
  SymExprId known = sym_int(context, 1);
  SymExprId* open = nullptr;
  for (SymExprId& size : *sizes) {
    if (as_int(context, size) == -1)
      open = &size;
    else
      known = sym_mul(context, known, size);
  }
  if (open != nullptr)
    *open = sym_floordiv(context, product(context, node.operand(0).type().sizes), known);
  return sizes;
}

bool is_contiguous(Context& context, const Type& type) {
  const std::vector<SymExprId> dense = contiguous_strides(context, type.sizes);
  for (size_t d = 0; d < type.rank(); ++d) {
    if (as_int(context, type.sizes[d]) != 1 && !known_equal(context, dense[d], type.strides[d]))
      return false;
  }
  return true;
}

Result<TypeId> reshape_type(Node node) {
  Context& context = node.graph().context();
  const std::optional<std::vector<SymExprId>> sizes = requested_sizes(node);
  if (!sizes || !is_contiguous(context, node.operand(0).type())) return bad_view(node);
  return with_layout(node, *sizes, contiguous_strides(context, *sizes));
}

// ---- dimensions in another order

std::vector<size_t> permutation(Node node) {
  const size_t rank = node.operand(0).type().rank();
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), size_t{0});
  const Schema& schema = *node.op()->schema;
  if (schema.name == "aten::t") {
    if (rank == 2) std::swap(order[0], order[1]);
  } else if (schema.name == "aten::transpose") {
    if (rank > 0) {
      std::swap(order[static_cast<size_t>(wrapped_dim(int_argument(node, "dim0"), rank))],
                order[static_cast<size_t>(wrapped_dim(int_argument(node, "dim1"), rank))]);
    }
  } else {
    const std::vector<int64_t> dims = int_list(argument(node, "dims"));
    for (size_t d = 0; d < rank; ++d) order[d] = static_cast<size_t>(wrapped_dim(dims[d], rank));
  }
  return order;
}

Expr permuted(ElementContext& context) {
  const std::vector<size_t> order = permutation(context.node());
  std::vector<Expr> index(order.size());
  for (size_t d = 0; d < order.size(); ++d) index[order[d]] = context.index()[d];
  return context.read(input(context), index);
}

Result<TypeId> permuted_type(Node node) {
  const Type& type = node.operand(0).type();
  std::vector<SymExprId> sizes, strides;
  for (size_t d : permutation(node)) {
    sizes.push_back(type.sizes[d]);
    strides.push_back(type.strides[d]);
  }
  return with_layout(node, sizes, strides);
}

// ---- broadcast

Expr expanded(ElementContext& context) {
  const auto sizes = input(context).type().sizes;
  const size_t shift = context.index().size() - sizes.size();
  std::vector<Expr> index;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const bool one = as_int(context.node().graph().context(), sizes[d]) == 1;
    index.push_back(one ? constant_position(context, 0) : context.index()[d + shift]);
  }
  return context.read(input(context), index);
}

Result<TypeId> expanded_type(Node node) {
  Context& context = node.graph().context();
  const Type& type = node.operand(0).type();
  std::optional<std::vector<SymExprId>> sizes = sym_list(node, argument(node, 1));
  if (!sizes || sizes->size() < type.rank()) return bad_view(node);
  const size_t shift = sizes->size() - type.rank();
  std::vector<SymExprId> strides(sizes->size(), sym_int(context, 0));
  for (size_t d = 0; d < type.rank(); ++d) {
    SymExprId& size = (*sizes)[d + shift];
    if (as_int(context, size) == -1) size = type.sizes[d];
    if (as_int(context, type.sizes[d]) != 1 || as_int(context, size) == 1)
      strides[d + shift] = type.strides[d];
  }
  return with_layout(node, *sizes, strides);
}

// ---- dimensions of size 1 come and go

Result<TypeId> unsqueezed_type(Node node) {
  Context& context = node.graph().context();
  const Type& type = node.operand(0).type();
  std::vector<SymExprId> sizes = list(type.sizes), strides = list(type.strides);
  int64_t dim = int_argument(node, "dim");
  if (dim < 0) dim += static_cast<int64_t>(type.rank()) + 1;
  const size_t at = static_cast<size_t>(dim);
  const SymExprId stride =
      at < sizes.size() ? sym_mul(context, sizes[at], strides[at]) : sym_int(context, 1);
  sizes.insert(sizes.begin() + dim, sym_int(context, 1));
  strides.insert(strides.begin() + dim, stride);
  return with_layout(node, sizes, strides);
}

Result<TypeId> squeezed_type(Node node) {
  Context& context = node.graph().context();
  const Type& type = node.operand(0).type();
  std::vector<int64_t> dims = int_list(argument(node, 1));
  for (int64_t& dim : dims) dim = wrapped_dim(dim, type.rank());
  std::vector<SymExprId> sizes, strides;
  for (size_t d = 0; d < type.rank(); ++d) {
    const bool named = num_positional(node) < 2 ||
                       std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) != dims.end();
    if (named && as_int(context, type.sizes[d]) == 1) continue;
    sizes.push_back(type.sizes[d]);
    strides.push_back(type.strides[d]);
  }
  return with_layout(node, sizes, strides);
}

// ---- a part of the input

struct Slice {
  size_t dim;
  SymExprId start, step;
};

std::optional<Slice> slice_of(Node node) {
  Context& context = node.graph().context();
  const Type& type = node.operand(0).type();
  const size_t dim = static_cast<size_t>(wrapped_dim(int_argument(node, "dim"), type.rank()));
  const ArgumentView start = argument(node, "start");
  const ArgumentView step = argument(node, "step");
  const std::optional<SymExprId> from =
      !start || start.is_none() ? std::optional(sym_int(context, 0)) : sym_argument(node, start);
  const std::optional<SymExprId> by =
      step ? sym_argument(node, step) : std::optional(sym_int(context, 1));
  if (!from || !by) return std::nullopt;
  return Slice{dim, wrapped_position(context, *from, type.sizes[dim]), *by};
}

Expr sliced(ElementContext& context) {
  const std::optional<Slice> slice = slice_of(context.node());
  std::vector<Expr> index(context.index().begin(), context.index().end());
  if (slice)
    index[slice->dim] = index[slice->dim] * context.size(slice->step) + context.size(slice->start);
  return context.read(input(context), index);
}

Result<TypeId> sliced_type(Node node) {
  Context& context = node.graph().context();
  const std::optional<Slice> slice = slice_of(node);
  if (!slice) return bad_view(node);
  const Type& type = node.operand(0).type();
  std::vector<SymExprId> sizes = list(type.sizes), strides = list(type.strides);
  const ArgumentView stop = argument(node, "end");
  SymExprId end = sizes[slice->dim];
  if (stop && !stop.is_none()) {
    const std::optional<SymExprId> given = sym_argument(node, stop);
    if (!given) return bad_view(node);
    end = wrapped_position(context, *given, end);
  }
  const SymExprId span[] = {sym_sub(context, end, slice->start), slice->step};
  const SymExprId count = sym(context, SymOp::kCeilDiv, span);
  const SymExprId not_negative[] = {count, sym_int(context, 0)};
  const SymExprId offset = sym_mul(context, slice->start, strides[slice->dim]);
  sizes[slice->dim] = sym(context, SymOp::kMax, not_negative);
  strides[slice->dim] = sym_mul(context, strides[slice->dim], slice->step);
  Type result = context.type(with_layout(node, sizes, strides));
  result.storage_offset =
      type.storage_offset ? sym_add(context, type.storage_offset, offset) : offset;
  return context.intern(result);
}

Expr selected(ElementContext& context) {
  const Node node = context.node();
  const auto sizes = input(context).type().sizes;
  const size_t dim = static_cast<size_t>(wrapped_dim(int_argument(node, "dim"), sizes.size()));
  const SymExprId at =
      sym_argument(node, argument(node, "index")).value_or(sym_int(node.graph().context(), 0));
  std::vector<Expr> index(context.index().begin(), context.index().end());
  index.insert(index.begin() + static_cast<ptrdiff_t>(dim),
               context.size(wrapped_position(node.graph().context(), at, sizes[dim])));
  return context.read(input(context), index);
}

Result<TypeId> selected_type(Node node) {
  Context& context = node.graph().context();
  const Type& type = node.operand(0).type();
  const std::optional<SymExprId> at = sym_argument(node, argument(node, "index"));
  if (!at) return bad_view(node);
  const size_t dim = static_cast<size_t>(wrapped_dim(int_argument(node, "dim"), type.rank()));
  std::vector<SymExprId> sizes = list(type.sizes), strides = list(type.strides);
  const SymExprId offset =
      sym_mul(context, wrapped_position(context, *at, sizes[dim]), strides[dim]);
  sizes.erase(sizes.begin() + static_cast<ptrdiff_t>(dim));
  strides.erase(strides.begin() + static_cast<ptrdiff_t>(dim));
  Type result = context.type(with_layout(node, sizes, strides));
  result.storage_offset =
      type.storage_offset ? sym_add(context, type.storage_offset, offset) : offset;
  return context.intern(result);
}

Expr same(ElementContext& context) { return context.read(input(context), context.index()); }
Result<TypeId> same_type(Node node) { return node.operand(0).type_id(); }

}  // namespace

NFX_OPS(reshapes) {
  op("aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)")
      .view(reshaped, reshape_type)
      .traits({Trait::kReshape});
  op("aten::_unsafe_view(Tensor self, SymInt[] size) -> Tensor")
      .view(reshaped, reshape_type)
      .traits({Trait::kReshape});
  op("aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)")
      .view(reshaped, unsqueezed_type)
      .traits({Trait::kReshape});
  for (const char* schema : {"aten::squeeze(Tensor(a) self) -> Tensor(a)",
                             "aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)",
                             "aten::squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)"}) {
    op(schema).view(reshaped, squeezed_type).traits({Trait::kReshape});
  }
}

NFX_OPS(permutations) {
  for (const char* schema :
       {"aten::t(Tensor(a) self) -> Tensor(a)",
        "aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)",
        "aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)"}) {
    op(schema).view(permuted, permuted_type);
  }
}

NFX_OPS(parts) {
  op("aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)")
      .view(expanded, expanded_type);
  op("aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt "
     "step=1) -> Tensor(a)")
      .view(sliced, sliced_type);
  op("aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)")
      .view(selected, selected_type);
  op("aten::alias(Tensor(a) self) -> Tensor(a)").view(same, same_type).traits({Trait::kReshape});
  op("aten::detach(Tensor(a) self) -> Tensor(a)").view(same, same_type).traits({Trait::kReshape});
}

}  // namespace nfx
