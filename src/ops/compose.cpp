#include "ops/compose.h"

#include "ops/type_rules.h"

namespace nfx {
namespace {

struct NoExpansion {
  static constexpr std::string_view kCode = "no-expansion";
  std::string op;
  std::string reason;
  std::string message() const { return "`" + op + "` is not expanded: " + reason; }
  std::string help() const { return "it runs as a whole in PyTorch"; }
};
NFX_DIAGNOSTIC(NoExpansion);

}  // namespace

Node Compose::tensor(std::string_view name) const { return widened(argument(node_, name).node()); }
Node Compose::tensor(size_t position) const { return widened(argument(node_, position).node()); }

Node Compose::widened(Node tensor) const {
  if (!tensor || tensor.type().kind != TypeKind::kTensor) return tensor;
  return as_dtype(tensor, arithmetic_dtype(tensor.type().dtype));
}

Node Compose::as_dtype(Node node, Dtype dtype) const {
  if (node.type().dtype == dtype) return node;
  const ArgId hole[] = {context_.hole()};
  const ArgId keywords[] = {context_.string("dtype"),
                            context_.intern(Arg{.kind = ArgKind::kDtype, .dtype = dtype})};
  const ArgId arguments = context_.call(hole, context_.sequence(ArgKind::kDict, keywords));
  const Node operands[] = {node};
  const Node made =
      graph_.add(NodeKind::kCallFunction, "aten._to_copy.default", arguments, operands);
  if (const Result<TypeId> type = op_row(made)->type(made)) graph_.set_type(made, *type);
  return made;
}

Compose::Operand Compose::integers(const std::vector<int64_t>& values) const {
  std::vector<ArgId> children;
  for (int64_t value : values) children.push_back(context_.integer(value));
  return context_.sequence(ArgKind::kList, children);
}

Compose::Operand Compose::size(SymExprId value) const {
  if (const auto constant = as_int(context_, value)) return context_.integer(*constant);
  return context_.intern(Arg{.kind = ArgKind::kSym, .sym = value});
}

Compose::Operand Compose::sizes(const std::vector<SymExprId>& values) const {
  std::vector<ArgId> children;
  for (SymExprId value : values) children.push_back(size(value).constant);
  return context_.sequence(ArgKind::kList, children);
}

Node Compose::operator()(std::string_view op, std::initializer_list<Operand> operands) const {
  return emit(graph_, "aten." + std::string(op), operands);
}

Node Compose::again(std::string_view changed, Operand value) const {
  std::vector<ArgId> arguments;
  std::vector<Node> nodes;
  const Schema& schema = *node_.op()->schema;
  for (size_t i = 0; i < schema.args.size(); ++i) {
    const ArgumentView given = argument(node_, i);
    if (schema.args[i].name == changed) {
      arguments.push_back(value.constant);
    } else if (given.is_node()) {
      arguments.push_back(context_.hole());
      nodes.push_back(tensor(i));
    } else {
      arguments.push_back(given.id());
    }
  }
  const Node made =
      graph_.add(NodeKind::kCallFunction, node_.target(), context_.call(arguments), nodes);
  if (const Result<TypeId> type = op_row(made)->type(made)) graph_.set_type(made, *type);
  return made;
}

Node Compose::as_result(Node result, int index) const {
  TypeId type = node_.type_id();
  if (index >= 0) {
    const auto elements = node_.type().elements;
    const auto i = static_cast<size_t>(index);
    type = i < elements.size() ? elements[i] : TypeId{};
  }
  if (!type || context_.type(type).kind != TypeKind::kTensor) return result;
  if (is_half(context_.type(type).dtype)) result = as_dtype(result, context_.type(type).dtype);
  graph_.set_type(result, type);
  return result;
}

SymExprId count_of(Context& context, const Type& type, const std::vector<int64_t>& dims) {
  SymExprId count = sym_int(context, 1);
  for (int64_t d : dims) count = sym_mul(context, count, type.sizes[static_cast<size_t>(d)]);
  return count;
}

std::vector<int64_t> dims_between(size_t first, size_t last) {
  std::vector<int64_t> dims;
  for (size_t d = first; d < last; ++d) dims.push_back(static_cast<int64_t>(d));
  return dims;
}

Status require_float(Node node, Node tensor) {
  const Type& type = tensor.type();
  if (type.kind != TypeKind::kTensor)
    return no_expansion(node, "the type of an input is not known");
  const Dtype dtype = arithmetic_dtype(type.dtype);
  if (dtype == Dtype::kFloat32 || dtype == Dtype::kFloat64) return success();
  return no_expansion(node, std::string(dtype_name(type.dtype)) + " is no floating dtype");
}

Diagnostic no_expansion(Node node, std::string_view reason) {
  return diagnose(NoExpansion{std::string(node.target()), std::string(reason)});
}

}  // namespace nfx
