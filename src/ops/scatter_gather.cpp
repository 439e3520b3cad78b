// Gather and scatter in the order of the edges, as recognised in a model, and what
// follows from an index alone. Before fusion each scatter becomes an operator over
// sorted edges (message_passing.cpp), so none of these has a loop form.
#include "ops/define.h"
#include "ops/type_rules.h"

namespace nfx {
namespace {

// None if it is no integer: then nothing is known of the result.
SymExprId size_argument(Node node, std::string_view name) {
  return sym_argument(node, argument(node, name)).value_or(SymExprId{});
}

TypeId rows_of(Node node, SymExprId rows) {
  const Type& x = node.operand(0).type();
  std::vector<SymExprId> sizes(x.sizes.begin(), x.sizes.end());
  sizes[0] = rows;
  return dense_type(node, x.dtype, sizes);
}

Result<TypeId> gather_type(Node node) { return rows_of(node, node.operand(1).type().sizes[0]); }

Result<TypeId> scatter_type(Node node) {
  const SymExprId rows = size_argument(node, "n");
  return rows ? rows_of(node, rows) : TypeId{};
}

Result<TypeId> index_type(Node node) {
  const SymExprId length = size_argument(node, "length");
  return length ? dense_type(node, Dtype::kInt64, {length}) : TypeId{};
}

Result<TypeId> sort_type(Node node) {
  Context& context = node.graph().context();
  const SymExprId n = size_argument(node, "n");
  NFX_ASSIGN(const TypeId edges, index_type(node));
  if (!n || !edges) return TypeId{};
  const TypeId offsets =
      dense_type(node, Dtype::kInt64, {sym_add(context, n, sym_int(context, 1))});
  const TypeId elements[] = {offsets, edges, edges};
  return context.intern(Type{.kind = TypeKind::kTuple, .elements = elements});
}

}  // namespace

NFX_OPS(scatter_gather) {
  op("mp::gather(Tensor x, Tensor index) -> Tensor")
      .type(gather_type)
      .traits({Trait::kPure, Trait::kGather});
  op("mp::wrapped(Tensor index, SymInt n) -> Tensor").type(like_first).traits({Trait::kPure});
  op("mp::scatter_sum(Tensor v, Tensor index, SymInt n) -> Tensor")
      .type(scatter_type)
      .traits({Trait::kPure, Trait::kScatter});
  op("mp::scatter_max(Tensor v, Tensor index, SymInt n, float fill) -> Tensor")
      .type(scatter_type)
      .traits({Trait::kPure, Trait::kScatter});
  op("mp::scatter_min(Tensor v, Tensor index, SymInt n, float fill) -> Tensor")
      .type(scatter_type)
      .traits({Trait::kPure, Trait::kScatter});
}

NFX_OPS(index_structure) {
  op("mp::sort_index(Tensor base, SymInt n, SymInt length, SymInt stride, SymInt offset, bool "
     "keep) -> (Tensor, Tensor, Tensor)")
      .type(sort_type)
      .traits({Trait::kPure});
  op("mp::sorted_index(Tensor base, Tensor order, SymInt n, SymInt length, SymInt stride, SymInt "
     "offset, bool keep) -> Tensor")
      .type(index_type)
      .traits({Trait::kPure});
  op("mp::checked_index(Tensor base, SymInt n, SymInt length, SymInt stride, SymInt offset, bool "
     "wrap, bool keep) -> Tensor")
      .type(index_type)
      .traits({Trait::kPure});
}

}  // namespace nfx
