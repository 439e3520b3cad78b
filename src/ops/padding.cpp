// Padding with elements of the input: each element is read from the nearest one, or
// from the mirror image. `padding` gives (before, after) of the last dimension first;
// a negative amount cuts off.
#include "ops/define.h"
#include "ops/type_rules.h"
#include "ops/view_index.h"

namespace nfx {
namespace {

// Position in the input of a position that counts from its start.
using Nearest = Expr (*)(Expr position, Expr last);

Expr repeated_edge(Expr position, Expr last) { return max_nan(min_nan(position, last), 0); }

Expr mirrored(Expr position, Expr last) {
  const Expr from_start = abs(position);
  return last - abs(last - from_start);
}

ElementRule padded_by(Nearest nearest) {
  return [nearest](ElementContext& context) {
    const Node node = context.node(), self = node.operand(0);
    const auto padding = sym_list(node, argument(node, "padding"));
    const auto sizes = self.type().sizes;
    std::vector<Expr> at(context.index().begin(), context.index().end());
    for (size_t i = 0; padding && i < padding->size() / 2; ++i) {
      const size_t d = sizes.size() - 1 - i;
      at[d] = nearest(at[d] - context.size((*padding)[2 * i]), context.size(sizes[d]) - 1);
    }
    return context.read(self, at);
  };
}

Result<TypeId> padded_type(Node node) {
  Context& context = node.graph().context();
  const Type& type = node.operand(0).type();
  std::vector<SymExprId> sizes(type.sizes.begin(), type.sizes.end());
  const auto padding = sym_list(node, argument(node, "padding"));
  for (size_t i = 0; padding && i < padding->size() / 2; ++i) {
    SymExprId& size = sizes[sizes.size() - 1 - i];
    size = sym_add(context, size, sym_add(context, (*padding)[2 * i], (*padding)[2 * i + 1]));
  }
  return dense_type(node, type.dtype, sizes);
}

std::string padding_problem(Node node) {
  return sym_list(node, argument(node, "padding")) ? "" : "its padding is not known";
}

}  // namespace

NFX_OPS(padding) {
  for (const char* schema : {"aten::replication_pad1d(Tensor self, SymInt[2] padding) -> Tensor",
                             "aten::replication_pad2d(Tensor self, SymInt[4] padding) -> Tensor",
                             "aten::replication_pad3d(Tensor self, SymInt[6] padding) -> Tensor"}) {
    op(schema).reads(padded_by(repeated_edge)).type(padded_type).refuses(padding_problem);
  }
  for (const char* schema : {"aten::reflection_pad1d(Tensor self, SymInt[2] padding) -> Tensor",
                             "aten::reflection_pad2d(Tensor self, SymInt[4] padding) -> Tensor",
                             "aten::reflection_pad3d(Tensor self, SymInt[6] padding) -> Tensor"}) {
    op(schema).reads(padded_by(mirrored)).type(padded_type).refuses(padding_problem);
  }
}

}  // namespace nfx
