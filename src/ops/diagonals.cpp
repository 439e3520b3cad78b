// Diagonals and windows: views of one dimension of a tensor as two or of two as one,
// and tensors with a diagonal put in.
#include <algorithm>

#include "ops/compose.h"
#include "ops/define.h"
#include "ops/type_rules.h"
#include "ops/view_index.h"

namespace nfx {
namespace {

// Row and column dimension of a tensor of that rank, and which diagonal: 0 is the
// main one, positive ones lie above.
struct Diagonal {
  size_t row, column;
  int64_t offset;
  int64_t first_row() const { return std::max<int64_t>(-offset, 0); }
  int64_t first_column() const { return std::max<int64_t>(offset, 0); }
};

Diagonal diagonal_of(Node node, size_t rank) {
  return {static_cast<size_t>(wrapped_dim(int_argument(node, "dim1"), rank)),
          static_cast<size_t>(wrapped_dim(int_argument(node, "dim2"), rank)),
          int_argument(node, "offset")};
}

// The dimensions that are not of the diagonal, in order.
template <class T>
std::vector<T> others(std::span<const T> all, const Diagonal& diagonal) {
  std::vector<T> rest;
  for (size_t d = 0; d < all.size(); ++d) {
    if (d != diagonal.row && d != diagonal.column) rest.push_back(all[d]);
  }
  return rest;
}

// ---- out[i.., k] = self[i.., k + first_row, k + first_column]

Expr diagonal_element(ElementContext& context) {
  const Node self = context.node().operand(0);
  const size_t rank = self.type().rank();
  const Diagonal diagonal = diagonal_of(context.node(), rank);
  const Expr k = context.index().back();
  std::vector<Expr> at;
  for (size_t d = 0, rest = 0; d < rank; ++d) {
    if (d == diagonal.row) {
      at.push_back(k + diagonal.first_row());
    } else if (d == diagonal.column) {
      at.push_back(k + diagonal.first_column());
    } else {
      at.push_back(context.index()[rest++]);
    }
  }
  return context.read(self, at);
}

SymExprId diagonal_size(Context& context, const Type& type, const Diagonal& diagonal) {
  const SymExprId both[] = {
      sym_add(context, type.sizes[diagonal.row], sym_int(context, -diagonal.first_row())),
      sym_add(context, type.sizes[diagonal.column], sym_int(context, -diagonal.first_column()))};
  const SymExprId least[] = {sym(context, SymOp::kMin, both), sym_int(context, 0)};
  return sym(context, SymOp::kMax, least);
}

Result<TypeId> diagonal_type(Node node) {
  Context& context = node.graph().context();
  Type type = node.operand(0).type();
  const Diagonal diagonal = diagonal_of(node, type.rank());
  std::vector<SymExprId> sizes = others(type.sizes, diagonal);
  std::vector<SymExprId> strides = others(type.strides, diagonal);
  const SymExprId row = type.strides[diagonal.row], column = type.strides[diagonal.column];
  sizes.push_back(diagonal_size(context, type, diagonal));
  strides.push_back(sym_add(context, row, column));
  if (as_int(context, sizes.back()) != 0) {
    const SymExprId start = diagonal.offset < 0 ? row : column;
    const SymExprId skipped = sym_mul(context, start, sym_int(context, std::abs(diagonal.offset)));
    type.storage_offset =
        type.storage_offset ? sym_add(context, type.storage_offset, skipped) : skipped;
  }
  type.sizes = sizes;
  type.strides = strides;
  return context.intern(type);
}

Result<TypeId> diagonal_copy_type(Node node) {
  Context& context = node.graph().context();
  const Type& type = node.operand(0).type();
  const Diagonal diagonal = diagonal_of(node, type.rank());
  std::vector<SymExprId> sizes = others(type.sizes, diagonal);
  sizes.push_back(diagonal_size(context, type, diagonal));
  return dense_type(node, type.dtype, sizes);
}

// ---- a diagonal put into a tensor

struct OnDiagonal {
  std::vector<Expr> at;  // position in the diagonals
  Expr there;            // bool: the element is on the diagonal
};

OnDiagonal on_diagonal(ElementContext& context) {
  const auto index = context.index();
  const Diagonal diagonal = diagonal_of(context.node(), index.size());
  OnDiagonal result;
  result.at = others(index, diagonal);
  result.at.push_back(index[diagonal.row] - diagonal.first_row());
  result.there =
      (index[diagonal.column] - index[diagonal.row] == diagonal.offset) & (result.at.back() >= 0);
  return result;
}

// zeros with operand 0 on the diagonal
Expr embedded(ElementContext& context) {
  const OnDiagonal on = on_diagonal(context);
  return select(on.there, context.read(context.node().operand(0), on.at, on.there), 0);
}

// operand 0 with operand 1 on the diagonal
Expr replaced(ElementContext& context) {
  const Node self = context.node().operand(0), src = context.node().operand(1);
  const OnDiagonal on = on_diagonal(context);
  const Expr there = cast(context.read(src, on.at, on.there), self.type().dtype);
  return select(on.there, there, context.read(self, context.index(), !on.there));
}

Result<TypeId> embedded_type(Node node) {
  Context& context = node.graph().context();
  const Type& type = node.operand(0).type();
  const Diagonal diagonal = diagonal_of(node, type.rank() + 1);
  const SymExprId side =
      sym_add(context, type.sizes[type.rank() - 1], sym_int(context, std::abs(diagonal.offset)));
  std::vector<SymExprId> sizes(type.sizes.begin(), type.sizes.end() - 1);
  for (const size_t d :
       {std::min(diagonal.row, diagonal.column), std::max(diagonal.row, diagonal.column)}) {
    sizes.insert(sizes.begin() + static_cast<ptrdiff_t>(d), side);
  }
  return dense_type(node, type.dtype, sizes);
}

Result<TypeId> placed_type(Node node) {
  const auto sizes = sym_list(node, argument(node, "input_sizes"));
  if (!sizes) return like_first(node);
  return dense_type(node, node.operand(0).type().dtype, *sizes);
}

// ---- out[i.., n, j.., k] = self[i.., n * step + k, j..]

Expr window_element(ElementContext& context) {
  const Node self = context.node().operand(0);
  if (self.type().rank() == 0) return context.read(self, {});
  const auto dim = static_cast<size_t>(
      wrapped_dim(int_argument(context.node(), "dimension"), self.type().rank()));
  std::vector<Expr> at(context.index().begin(), context.index().end() - 1);
  at[dim] = at[dim] * int_argument(context.node(), "step") + context.index().back();
  return context.read(self, at);
}

Result<TypeId> window_type(Node node) {
  Context& context = node.graph().context();
  Type type = node.operand(0).type();
  std::vector<SymExprId> sizes(type.sizes.begin(), type.sizes.end());
  std::vector<SymExprId> strides(type.strides.begin(), type.strides.end());
  const SymExprId width = sym_int(context, int_argument(node, "size"));
  const SymExprId step = sym_int(context, int_argument(node, "step"));
  SymExprId stride = sym_int(context, 1);
  if (!sizes.empty()) {
    const auto dim =
        static_cast<size_t>(wrapped_dim(int_argument(node, "dimension"), sizes.size()));
    stride = strides[dim];
    const SymExprId room = sym_sub(context, sizes[dim], width);
    sizes[dim] = sym_add(context, sym_floordiv(context, room, step), sym_int(context, 1));
    strides[dim] = sym_mul(context, stride, step);
  }
  sizes.push_back(width);
  strides.push_back(stride);
  type.sizes = sizes;
  type.strides = strides;
  return context.intern(type);
}

//   trace(x)  =>  sum(diagonal(x))
Result<std::vector<Node>> expand_trace(Graph& graph, Node node) {
  Compose make(graph, node);
  const Node diagonal = make("diagonal.default", {make.tensor(0)});
  return std::vector<Node>{make.as_result(make("sum.default", {diagonal}))};
}

Result<TypeId> trace_type(Node node) {
  const Dtype own = node.operand(0).type().dtype;
  return dense_type(node, is_floating(own) ? own : Dtype::kInt64, {});
}

}  // namespace

NFX_OPS(diagonals) {
  op("aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)")
      .view(diagonal_element, diagonal_type);
  op("aten::diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor")
      .reads(diagonal_element)
      .type(diagonal_copy_type);
  op("aten::diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor")
      .reads(embedded)
      .type(embedded_type);
  op("aten::diagonal_backward(Tensor grad_output, SymInt[] input_sizes, int offset, int dim1, int "
     "dim2) -> Tensor")
      .reads(embedded)
      .type(placed_type);
  op("aten::diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> "
     "Tensor")
      .reads(replaced)
      .type(like_first);
  op("aten::trace(Tensor self) -> Tensor").type(trace_type).expand(expand_trace);
}

NFX_OPS(windows) {
  op("aten::unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)")
      .view(window_element, window_type);
}

}  // namespace nfx
