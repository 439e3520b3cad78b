#include "message_passing/node_side.h"

#include "message_passing/row_wise.h"
#include "ops/op_row.h"
#include "ops/type_rules.h"

namespace nfx {
namespace {

bool is_matrix(Node node) {
  return node && node.type().kind == TypeKind::kTensor && node.type().rank() == 2;
}

bool is_tensor(Node node) { return node && node.type().kind == TypeKind::kTensor; }

// Operands by row of any node that computes row by row.
std::optional<std::vector<bool>> operands_by_row(Node node) {
  if (node.kind() != NodeKind::kCallFunction) return std::nullopt;
  if (row_product(node)) {
    std::vector<bool> rows(node.num_operands(), false);
    rows[0] = true;
    return rows;
  }
  return row_operands(node);
}

}  // namespace

std::optional<RowProduct> row_product(Node node) {
  if (node.kind() != NodeKind::kCallFunction || node.num_operands() < 2) return std::nullopt;
  const std::string_view op = node.target();
  const Node rows = node.operand(0), matrix = node.operand(1);
  if (!is_tensor(rows) || !is_matrix(matrix) || rows.type().rank() < 2) return std::nullopt;
  if (op == "aten.linear.default")
    return RowProduct{rows, matrix, node.num_operands() > 2 ? node.operand(2) : Node{}, true};
  if (op == "aten.mm.default" || op == "aten.matmul.default")
    return RowProduct{rows, matrix, {}, false};
  return std::nullopt;
}

std::optional<NodeSide> NodeSides::of(Node value) {
  const auto known = known_.find(value.id().value);
  if (known != known_.end()) return known->second;
  const std::optional<NodeSide> side = find(value);
  known_.emplace(value.id().value, side);
  return side;
}

std::optional<NodeSide> NodeSides::find(Node value) {
  if (!is_tensor(value) || value.type().rank() == 0) return std::nullopt;
  if (value.id().value < first_new_ && memory_.is_written(value)) return std::nullopt;
  if (value.target() == "mp.gather.default")
    return NodeSide{value.operand(1), value.operand(0).type().sizes[0]};
  const std::optional<std::vector<bool>> rows = operands_by_row(value);
  if (!rows) return std::nullopt;
  std::optional<NodeSide> side;
  for (uint32_t i = 0; i < rows->size(); ++i) {
    if (!(*rows)[i]) continue;
    const std::optional<NodeSide> theirs = of(value.operand(i));
    if (!theirs || (side && *side != *theirs)) return std::nullopt;
    side = theirs;
  }
  return side;
}

// A shape that names the number of rows has it computed instead.
std::optional<ArgId> NodeSides::arguments_at_nodes(Node value) {
  const bool names_rows = value.has(Trait::kReshape) || value.target() == "aten.expand.default" ||
                          value.target() == "aten.reshape.default";
  if (!names_rows) return value.arguments();
  const ArgumentView sizes = positional(value, 1);
  if (!sizes || sizes.is_node() || sizes.is_none() || sizes.size() == 0)
    return value.has(Trait::kReshape) ? std::optional(value.arguments()) : std::nullopt;
  Context& context = graph_.context();
  std::vector<ArgId> list = {context.integer(-1)};
  for (size_t d = 1; d < sizes.size(); ++d) {
    const ArgumentView size = sizes.child(d);
    if (size.is_node() || size.kind() == ArgKind::kSym || size.as_int() == -1) return std::nullopt;
    list.push_back(size.id());
  }
  const ArgId positional[] = {context.hole(), context.sequence(ArgKind::kList, list)};
  return context.call(positional);
}

Node NodeSides::at_nodes(Node value) {
  if (value.target() == "mp.gather.default") return value.operand(0);
  if (const auto known = made_.find(value.id().value); known != made_.end()) return known->second;
  const std::vector<bool> rows = *operands_by_row(value);
  const std::optional<ArgId> arguments = arguments_at_nodes(value);
  if (!arguments) return {};
  std::vector<Node> operands;
  for (uint32_t i = 0; i < graph_.context().arg(*arguments).holes; ++i) {
    const Node operand = rows[i] ? at_nodes(value.operand(i)) : value.operand(i);
    if (!operand) return {};
    operands.push_back(operand);
  }
  const Node made = graph_.add(value.kind(), value.target(), *arguments, operands);
  const Type& type = value.type();
  std::vector<SymExprId> sizes(type.sizes.begin(), type.sizes.end());
  sizes[0] = of(value)->rows;
  graph_.set_type(made, dense_type(made, type.dtype, sizes));
  graph_.inherit_meta(made, value);
  made_.emplace(value.id().value, made);
  return made;
}

}  // namespace nfx
