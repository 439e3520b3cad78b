#include "message_passing/row_index.h"

#include "ops/op_row.h"

namespace nfx {
namespace {

// Whether every dimension but the first has one position.
bool is_column(Node node) {
  Context& context = node.graph().context();
  const Type& type = node.type();
  for (size_t d = 1; d < type.rank(); ++d) {
    if (as_int(context, type.sizes[d]) != 1) return false;
  }
  return type.rank() > 0;
}

bool same_rows(Node a, Node b) {
  const Type &x = a.type(), &y = b.type();
  return x.kind == TypeKind::kTensor && y.kind == TypeKind::kTensor && x.rank() > 0 &&
         y.rank() > 0 && known_equal(a.graph().context(), x.sizes[0], y.sizes[0]);
}

// Whether row i of the result holds what row i of the input does: views between
// columns, copies, casts between kinds of index, expansion along other dimensions.
bool keeps_rows(Node node) {
  if (node.num_operands() == 0 || !is_index(node.operand(0))) return false;
  if (!same_rows(node, node.operand(0))) return false;
  const std::string_view op = node.target();
  if (op == "aten.clone.default" || op == "aten._to_copy.default" || op == "aten.expand.default")
    return true;
  if (op == "aten.contiguous.default" || op == "aten.to.dtype" || op == "aten.expand_as.default")
    return true;
  if (node.has(Trait::kReshape) || op == "aten.reshape.default") return true;
  return is_column(node.operand(0)) && (node.has(Trait::kView) || op == "aten.repeat.default");
}

}  // namespace

bool is_index(Node node) {
  const Type& type = node.type();
  return type.kind == TypeKind::kTensor && type.layout == Layout::kStrided &&
         (type.dtype == Dtype::kInt64 || type.dtype == Dtype::kInt32);
}

Node row_index(Node index) {
  if (!is_index(index) || index.type().rank() == 0) return {};
  // Values may differ along a row until an expansion from a column is found.
  bool is_spread = !is_column(index);
  while (index.type().rank() != 1 || is_spread) {
    if (!keeps_rows(index)) return {};
    const Node input = index.operand(0);
    if (is_column(input))
      is_spread = false;
    else if (!is_spread)
      return {};
    index = input;
  }
  return index;
}

}  // namespace nfx
