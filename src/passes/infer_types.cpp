#include "passes/infer_types.h"

#include "ops/op_row.h"

namespace nfx {
namespace {

bool has_typed_operands(Node node) {
  for (uint32_t i = 0; i < node.num_operands(); ++i) {
    if (!node.operand(i).type_id()) return false;
  }
  return true;
}

// The type of `operator.getitem(%tuple, index)`.
TypeId projected_type(Node node) {
  const NodeValue value = value_of(node);
  if (value.index < 0) return {};
  const Type& whole = value.node.type();
  const bool is_group = whole.kind == TypeKind::kTuple || whole.kind == TypeKind::kList;
  const size_t index = static_cast<size_t>(value.index);
  return is_group && index < whole.elements.size() ? whole.elements[index] : TypeId();
}

TypeId inferred_type(Node node) {
  const OpRow* row = op_row(node);
  if (row == nullptr) return projected_type(node);
  if (!row->type || !has_typed_operands(node)) return {};
  const Result<TypeId> type = row->type(node);
  return type ? *type : TypeId();
}

}  // namespace

Changed infer_types(Graph& graph) {
  Changed changed = Changed::kNo;
  for (const Node node : graph.nodes()) {
    if (node.kind() != NodeKind::kCallFunction) continue;
    const TypeId type = inferred_type(node);
    if (!type || type == node.type_id()) continue;
    graph.set_type(node, type);
    changed = Changed::kYes;
  }
  return changed;
}

NFX_PASS(infer_types, "give every call the type that its row infers");

}  // namespace nfx
