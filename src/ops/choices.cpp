// Ops that pick one of several values: where, clamp, fills.
#include "ops/define.h"
#include "ops/type_rules.h"

namespace nfx {
namespace {

// The condition does not take part in promotion; the others do.
Dtype branches_dtype(Node node) {
  const ArgumentView a = argument(node, 1), b = argument(node, 2);
  if (a.is_node() && b.is_node()) return promote(a.node().type().dtype, b.node().type().dtype);
  return (a.is_node() ? a : b).node().type().dtype;
}

Expr where(ElementContext& context) {
  const Dtype dtype = context.node().type().kind == TypeKind::kTensor
                          ? context.node().type().dtype
                          : branches_dtype(context.node());
  const Expr condition = operand_value(context, 0, Dtype::kBool);
  return select(condition, operand_value(context, 1, dtype), operand_value(context, 2, dtype));
}

Result<TypeId> where_type(Node node) {
  NFX_ASSIGN(const TypeId id, pointwise_type(node));
  Type type = node.graph().context().type(id);
  type.dtype = branches_dtype(node);
  return node.graph().context().intern(type);
}

Result<TypeId> first_dtype_type(Node node) {
  NFX_ASSIGN(const TypeId id, pointwise_type(node));
  Type type = node.graph().context().type(id);
  type.dtype = node.operand(0).type().dtype;
  return node.graph().context().intern(type);
}

// A bound that is None does not bound. NaN in the input or a tensor bound stays.
Expr clamped(ElementContext& context, Expr x) {
  const ArgumentView low = argument(context.node(), 1), high = argument(context.node(), 2);
  if (low && !low.is_none()) x = max_nan(x, operand_value(context, 1, x.dtype()));
  if (high && !high.is_none()) x = min_nan(x, operand_value(context, 2, x.dtype()));
  return x;
}

}  // namespace

NFX_OPS(choices) {
  for (const char* schema :
       {"aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor",
        "aten::where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor",
        "aten::where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor"}) {
    op(schema).pointwise(Promote::kNone).element(where).type(where_type);
  }
  for (const char* schema :
       {"aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor",
        "aten::masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor"}) {
    op(schema)
        .pointwise(Promote::kFirst)
        .type(first_dtype_type)
        .element([](ElementContext& context) {
          const Dtype dtype = context.node().operand(0).type().dtype;
          const Expr mask = operand_value(context, 1, Dtype::kBool);
          return select(mask, operand_value(context, 2, dtype), operand_value(context, 0, dtype));
        });
  }
  op("aten::zero(Tensor self) -> Tensor")
      .pointwise(Promote::kFirst)
      .type(first_dtype_type)
      .element([](ElementContext& context) {
        return literal(context.pool(), context.node().operand(0).type().dtype, 0);
      });
  for (const char* schema : {"aten::fill.Scalar(Tensor self, Scalar value) -> Tensor",
                             "aten::fill.Tensor(Tensor self, Tensor value) -> Tensor"}) {
    op(schema)
        .pointwise(Promote::kFirst)
        .type(first_dtype_type)
        .element([](ElementContext& context) {
          return operand_value(context, 1, context.node().operand(0).type().dtype);
        });
  }
}

NFX_OPS(clamps) {
  auto rule = [](ElementContext& context, Expr x) { return clamped(context, x); };
  auto row = [&](const char* schema, size_t operands) {
    op(schema).pointwise().value(rule).promotes_over(operands);
  };
  row("aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", 3);
  row("aten::clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor", 3);
  auto at_least = [](Expr x, Expr low) { return max_nan(x, low); };
  auto at_most = [](Expr x, Expr high) { return min_nan(x, high); };
  op("aten::clamp_min(Tensor self, Scalar min) -> Tensor").pointwise().value(at_least);
  op("aten::clamp_min.Tensor(Tensor self, Tensor min) -> Tensor").pointwise().value(at_least);
  op("aten::clamp_max(Tensor self, Scalar max) -> Tensor").pointwise().value(at_most);
  op("aten::clamp_max.Tensor(Tensor self, Tensor max) -> Tensor").pointwise().value(at_most);
}

}  // namespace nfx
