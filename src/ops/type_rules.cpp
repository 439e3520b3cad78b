#include "ops/type_rules.h"

#include <algorithm>

namespace nfx {
namespace {

struct NoTypeRule {
  static constexpr std::string_view kCode = "no-type-rule";
  std::string op;
  std::string what;
  std::string message() const { return "the type of `" + op + "` is not known: " + what; }
  std::string help() const { return "give the node its type when it is made"; }
};
NFX_DIAGNOSTIC(NoTypeRule);

std::vector<Node> tensor_operands(Node node) {
  std::vector<Node> tensors;
  for (uint32_t i = 0; i < node.num_operands(); ++i) {
    if (node.operand(i).type().kind == TypeKind::kTensor) tensors.push_back(node.operand(i));
  }
  return tensors;
}

std::vector<SymExprId> broadcast_sizes(Context& context, const std::vector<Node>& tensors) {
  size_t rank = 0;
  for (Node tensor : tensors) rank = std::max(rank, tensor.type().rank());
  std::vector<SymExprId> sizes(rank, sym_int(context, 1));
  for (Node tensor : tensors) {
    const auto own = tensor.type().sizes;
    for (size_t d = 0; d < own.size(); ++d) {
      SymExprId& size = sizes[rank - own.size() + d];
      if (as_int(context, own[d]) != 1) size = own[d];
    }
  }
  return sizes;
}

// Whether the tensor fills its memory without gaps or overlap, in some order of dimensions.
bool is_dense(Context& context, const Type& type) {
  if (type.strides.size() != type.sizes.size()) return false;
  std::vector<size_t> order;
  for (size_t d = 0; d < type.rank(); ++d) {
    if (as_int(context, type.sizes[d]) != 1) order.push_back(d);
  }
  SymExprId expected = sym_int(context, 1);
  while (!order.empty()) {
    const auto next = std::find_if(order.begin(), order.end(), [&](size_t d) {
      return known_equal(context, type.strides[d], expected);
    });
    if (next == order.end()) return false;
    expected = sym_mul(context, expected, type.sizes[*next]);
    order.erase(next);
  }
  return true;
}

bool has_sizes(Context& context, const Type& type, const std::vector<SymExprId>& sizes) {
  return type.rank() == sizes.size() &&
         std::equal(sizes.begin(), sizes.end(), type.sizes.begin(),
                    [&](SymExprId a, SymExprId b) { return known_equal(context, a, b); });
}

Dtype result_dtype(Node node) {
  const OpRow* row = op_row(node);
  if (row->promote == Promote::kBoolResult || row->promote == Promote::kLogical)
    return Dtype::kBool;
  return promoted_dtype(node);
}

}  // namespace

TypeId dense_type(Node node, Dtype dtype, const std::vector<SymExprId>& sizes) {
  Context& context = node.graph().context();
  const std::vector<Node> tensors = tensor_operands(node);
  const std::string_view device = tensors.empty() ? "cpu" : context.text(tensors[0].type().device);
  return contiguous_tensor(context, dtype, sizes, device.empty() ? "cpu" : device);
}

Result<TypeId> pointwise_type(Node node) {
  Context& context = node.graph().context();
  const std::vector<Node> tensors = tensor_operands(node);
  if (tensors.empty())
    return diagnose(NoTypeRule{std::string(node.target()), "it has no tensor operand"});
  const std::vector<SymExprId> sizes = broadcast_sizes(context, tensors);
  const TypeId dense = dense_type(node, result_dtype(node), sizes);
  for (Node tensor : tensors) {
    const Type& own = tensor.type();
    if (!has_sizes(context, own, sizes)) continue;
    if (!is_dense(context, own)) continue;
    Type type = context.type(dense);
    type.strides = own.strides;
    return context.intern(type);
  }
  return dense;
}

Result<TypeId> like_first(Node node) {
  const Type& type = node.operand(0).type();
  return dense_type(node, type.dtype, {type.sizes.begin(), type.sizes.end()});
}

int64_t wrapped_dim(int64_t dim, size_t rank) {
  return dim < 0 ? dim + static_cast<int64_t>(std::max<size_t>(rank, 1)) : dim;
}

std::optional<SymExprId> sym_argument(Node node, ArgumentView view) {
  if (!view) return std::nullopt;
  if (view.is_node()) {
    const Type& type = view.node().type();
    if (type.kind == TypeKind::kScalar && type.expr) return type.expr;
    return std::nullopt;
  }
  if (view.kind() == ArgKind::kSym) return view.arg().sym;
  if (const std::optional<int64_t> value = view.as_int())
    return sym_int(node.graph().context(), *value);
  return std::nullopt;
}

std::optional<std::vector<SymExprId>> sym_list(Node node, ArgumentView view) {
  if (const std::optional<SymExprId> one = sym_argument(node, view)) return std::vector{*one};
  if (!view || view.is_none() || view.is_node()) return std::nullopt;
  std::vector<SymExprId> list;
  for (size_t i = 0; i < view.size(); ++i) {
    const std::optional<SymExprId> item = sym_argument(node, view.child(i));
    if (!item) return std::nullopt;
    list.push_back(*item);
  }
  return list;
}

std::vector<int64_t> int_list(ArgumentView view) {
  if (!view || view.is_none()) return {};
  if (const std::optional<int64_t> one = view.as_int()) return {*one};
  std::vector<int64_t> list;
  for (size_t i = 0; i < view.size(); ++i) list.push_back(view.child(i).as_int().value_or(0));
  return list;
}

std::optional<Dtype> dtype_argument(Node node, std::string_view name) {
  const ArgumentView view = argument(node, name);
  if (!view || view.kind() != ArgKind::kDtype) return std::nullopt;
  return view.arg().dtype;
}

Node emit(Graph& graph, std::string_view target, std::initializer_list<Graph::Operand> operands) {
  const Node node = graph.call(target, operands);
  const OpRow* row = op_row(node);
  if (row != nullptr && row->type) {
    if (const Result<TypeId> type = row->type(node)) graph.set_type(node, *type);
  }
  return node;
}

}  // namespace nfx
