// Tensors made from no tensor: each element is an expression of its position.
#include <cmath>

#include "ops/define.h"
#include "ops/type_rules.h"
#include "ops/view_index.h"

namespace nfx {
namespace {

// The dtype that is asked for, else that of the tensor that the result is like,
// else what the number says.
Dtype number_dtype(ArgumentView number) {
  if (number && number.is_node() && number.node().type().kind == TypeKind::kScalar) {
    const Dtype dtype = number.node().type().dtype;
    return dtype == Dtype::kFloat64 ? Dtype::kFloat32 : dtype;
  }
  if (!number || number.kind() == ArgKind::kFloat) return Dtype::kFloat32;
  return number.kind() == ArgKind::kBool ? Dtype::kBool : Dtype::kInt64;
}

Dtype made_dtype(Node node, ArgumentView number) {
  if (const auto given = dtype_argument(node, "dtype")) return *given;
  if (node.num_operands() > 0 && node.operand(0).type().kind == TypeKind::kTensor) {
    return node.operand(0).type().dtype;
  }
  return number_dtype(number);
}

Dtype result_dtype(Node node, ArgumentView number) {
  const Type& type = node.type();
  return type.kind == TypeKind::kTensor ? type.dtype : made_dtype(node, number);
}

struct UnknownSize {
  static constexpr std::string_view kCode = "unknown-size";
  std::string op;
  std::string message() const { return "the size of `" + op + "` is not known"; }
  std::string help() const { return "give the node its type when it is made"; }
};
NFX_DIAGNOSTIC(UnknownSize);

Diagnostic no_size(Node node) { return diagnose(UnknownSize{std::string(node.target())}); }

// ---- one value everywhere

ElementRule filled_with(double value) {
  return [value](ElementContext& context) {
    return literal(context.pool(), result_dtype(context.node(), {}), value);
  };
}

ElementRule filled_from(std::string_view name) {
  return [name](ElementContext& context) {
    const ArgumentView number = argument(context.node(), name);
    return context.number(number, result_dtype(context.node(), number));
  };
}

TypeRule sized_by_argument(std::string_view number) {
  return [number](Node node) -> Result<TypeId> {
    const auto sizes = sym_list(node, argument(node, "size"));
    if (!sizes) return no_size(node);
    return dense_type(node, made_dtype(node, argument(node, number)), *sizes);
  };
}

Result<TypeId> sized_by_operand(Node node) {
  const Type& like = node.operand(0).type();
  return dense_type(node, made_dtype(node, {}), {like.sizes.begin(), like.sizes.end()});
}

void factory(std::string_view schema, ElementRule rule, TypeRule type) {
  op(schema).element(std::move(rule)).type(std::move(type)).traits({Trait::kFactory});
}

// The result has the sizes of operand 0 but none of its elements.
void like(std::string_view schema, ElementRule rule) {
  op(schema).element(std::move(rule)).type(sized_by_operand).traits({Trait::kFactory});
}

#define NFX_FACTORY_OPTIONS                                                     \
  "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? " \
  "pin_memory=None) -> Tensor"
#define NFX_LIKE_OPTIONS                                                        \
  "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? " \
  "pin_memory=None, MemoryFormat? memory_format=None) -> Tensor"

// ---- positions

Expr position(ElementContext& context) {
  return context.index().empty() ? constant_position(context, 0) : context.index()[0];
}

// start + step * i, in int64 or in double as PyTorch counts.
Expr counted(ElementContext& context) {
  const Node node = context.node();
  const Dtype result = result_dtype(node, argument(node, "end"));
  const Dtype count = is_floating(result) ? Dtype::kFloat64 : Dtype::kInt64;
  const ArgumentView start = argument(node, "start"), step = argument(node, "step");
  Expr value = cast(position(context), count);
  if (step) value = value * context.number(step, count);
  if (start) value = value + context.number(start, count);
  return cast(value, result);
}

Dtype counted_dtype(Node node) {
  if (const auto given = dtype_argument(node, "dtype")) return *given;
  for (const char* name : {"start", "end", "step"}) {
    const ArgumentView number = argument(node, name);
    if (number && is_floating(number_dtype(number))) return Dtype::kFloat32;
  }
  return Dtype::kInt64;
}

// ceil((end - start) / step)
Result<TypeId> counted_type(Node node) {
  Context& context = node.graph().context();
  const ArgumentView from = argument(node, "start"), by = argument(node, "step");
  const auto start = from ? sym_argument(node, from) : std::optional(sym_int(context, 0));
  const auto step = by ? sym_argument(node, by) : std::optional(sym_int(context, 1));
  const auto end = sym_argument(node, argument(node, "end"));
  if (!start || !step || !end) {
    const double first = from ? from.as_number().value_or(NAN) : 0;
    const double stride = by ? by.as_number().value_or(NAN) : 1;
    const double count =
        std::ceil((argument(node, "end").as_number().value_or(NAN) - first) / stride);
    if (!(count >= 0 && count < 0x1p62)) return no_size(node);
    return dense_type(node, counted_dtype(node), {sym_int(context, static_cast<int64_t>(count))});
  }
  const SymExprId span[] = {sym_sub(context, *end, *start), *step};
  const SymExprId count[] = {sym(context, SymOp::kCeilDiv, span), sym_int(context, 0)};
  return dense_type(node, counted_dtype(node), {sym(context, SymOp::kMax, count)});
}

Expr on_diagonal(ElementContext& context) {
  const Dtype dtype = result_dtype(context.node(), {});
  return cast(context.index()[0] == context.index()[1], dtype);
}

Result<TypeId> diagonal_type(Node node) {
  const auto rows = sym_argument(node, argument(node, "n"));
  const ArgumentView columns = argument(node, "m");
  const auto width = columns ? sym_argument(node, columns) : rows;
  if (!rows || !width) return no_size(node);
  return dense_type(node, made_dtype(node, {}), {*rows, *width});
}

}  // namespace

NFX_OPS(fills) {
  factory("aten::full(SymInt[] size, Scalar fill_value, " NFX_FACTORY_OPTIONS,
          filled_from("fill_value"), sized_by_argument("fill_value"));
  factory("aten::zeros(SymInt[] size, " NFX_FACTORY_OPTIONS, filled_with(0), sized_by_argument(""));
  factory("aten::ones(SymInt[] size, " NFX_FACTORY_OPTIONS, filled_with(1), sized_by_argument(""));
  factory("aten::scalar_tensor(Scalar s, " NFX_FACTORY_OPTIONS, filled_from("s"),
          [](Node node) -> Result<TypeId> { return dense_type(node, made_dtype(node, {}), {}); });
  factory("aten::new_zeros(Tensor self, SymInt[] size, " NFX_FACTORY_OPTIONS, filled_with(0),
          sized_by_argument(""));
  factory("aten::new_ones(Tensor self, SymInt[] size, " NFX_FACTORY_OPTIONS, filled_with(1),
          sized_by_argument(""));
  factory("aten::new_full(Tensor self, SymInt[] size, Scalar fill_value, " NFX_FACTORY_OPTIONS,
          filled_from("fill_value"), sized_by_argument("fill_value"));
  like("aten::zeros_like(Tensor self, " NFX_LIKE_OPTIONS, filled_with(0));
  like("aten::ones_like(Tensor self, " NFX_LIKE_OPTIONS, filled_with(1));
  like("aten::full_like(Tensor self, Scalar fill_value, " NFX_LIKE_OPTIONS,
       filled_from("fill_value"));
}

NFX_OPS(counts) {
  factory("aten::arange(Scalar end, " NFX_FACTORY_OPTIONS, counted, counted_type);
  factory("aten::arange.start(Scalar start, Scalar end, " NFX_FACTORY_OPTIONS, counted,
          counted_type);
  factory("aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, " NFX_FACTORY_OPTIONS,
          counted, counted_type);
  factory("aten::eye(SymInt n, " NFX_FACTORY_OPTIONS, on_diagonal, diagonal_type);
  factory("aten::eye.m(SymInt n, SymInt m, " NFX_FACTORY_OPTIONS, on_diagonal, diagonal_type);
}

#undef NFX_FACTORY_OPTIONS
#undef NFX_LIKE_OPTIONS

}  // namespace nfx
