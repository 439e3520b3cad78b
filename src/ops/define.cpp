#include "ops/define.h"

#include "ops/type_rules.h"

namespace nfx {

RowBuilder& RowBuilder::traits(std::initializer_list<Trait> traits) {
  for (Trait trait : traits) row_.traits |= static_cast<uint32_t>(trait);
  return *this;
}

RowBuilder& RowBuilder::pointwise(Promote promote) {
  row_.promote = promote;
  if (!row_.type) row_.type = pointwise_type;
  return traits({Trait::kPure, Trait::kPointwise});
}

RowBuilder& RowBuilder::type(TypeRule rule) {
  row_.type = std::move(rule);
  return *this;
}

RowBuilder& RowBuilder::element(ElementRule rule) {
  row_.element = std::move(rule);
  return traits({Trait::kPure});
}

RowBuilder& RowBuilder::reads(ElementRule rule) {
  row_.read_operands = ~0u;
  return element(std::move(rule));
}

RowBuilder& RowBuilder::view(ElementRule rule, TypeRule type) {
  row_.type = std::move(type);
  return traits({Trait::kView}).reads(std::move(rule));
}

RowBuilder& RowBuilder::fold(FoldRule rule, TypeRule type) {
  row_.fold = std::move(rule);
  row_.type = std::move(type);
  return traits({Trait::kPure, Trait::kReduction});
}

RowBuilder& RowBuilder::expand(ExpandRule rule) {
  row_.expand = std::move(rule);
  return traits({Trait::kPure, Trait::kComposite});
}

RowBuilder& RowBuilder::refuses(std::function<std::string(Node)> reason) {
  row_.refuses = std::move(reason);
  return *this;
}

namespace {

// Where 16-bit floats are computed in float32, an operand is first promoted, which
// rounds it.
Dtype operand_dtype(Node node, ArgumentView view, Dtype dtype) {
  if (dtype != Dtype::kFloat32) return dtype;
  const Dtype promoted = promoted_dtype(node);
  if (!is_half(promoted)) return dtype;
  const bool is_single = !view.is_node() || view.node().type().kind != TypeKind::kTensor ||
                         view.node().type().rank() == 0;
  return is_single && op_row(node)->wide_numbers ? dtype : promoted;
}

}  // namespace

Expr operand_value(ElementContext& context, size_t position, Dtype dtype) {
  const ArgumentView view = argument(context.node(), position);
  const Dtype own = operand_dtype(context.node(), view, dtype);
  if (view.is_node() && view.node().type().kind == TypeKind::kTensor) {
    const Expr element = context.aligned(view.node());
    return cast(element.dtype() == own ? element : cast(element, own), dtype);
  }
  return cast(context.number(view, own), dtype);
}

Expr number_argument(ElementContext& context, std::string_view name, Dtype dtype) {
  return context.number(argument(context.node(), name), dtype);
}

double real_argument(Node node, std::string_view name, double otherwise) {
  const ArgumentView view = argument(node, name);
  return view ? view.as_number().value_or(otherwise) : otherwise;
}

int64_t int_argument(Node node, std::string_view name, int64_t otherwise) {
  const ArgumentView view = argument(node, name);
  return view ? view.as_int().value_or(otherwise) : otherwise;
}

std::string_view string_argument(Node node, std::string_view name) {
  const ArgumentView view = argument(node, name);
  if (!view || view.kind() != ArgKind::kString) return {};
  return node.graph().context().text(view.arg().text);
}

}  // namespace nfx
