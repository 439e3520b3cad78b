// Copies: the same elements in fresh memory, perhaps in another dtype.
#include "ops/define.h"
#include "ops/type_rules.h"

namespace nfx {
namespace {

// Strides are kept unless a memory format is asked for.
Result<TypeId> copied_type(Node node) {
  const Type& type = node.operand(0).type();
  const Dtype dtype = dtype_argument(node, "dtype").value_or(type.dtype);
  const ArgumentView format = argument(node, "memory_format");
  if (format && !format.is_none()) {
    return dense_type(node, dtype, {type.sizes.begin(), type.sizes.end()});
  }
  NFX_ASSIGN(const TypeId kept, pointwise_type(node));
  Type result = node.graph().context().type(kept);
  result.dtype = dtype;
  return node.graph().context().intern(result);
}

Expr copied(ElementContext& context) {
  const Dtype dtype =
      dtype_argument(context.node(), "dtype").value_or(context.node().operand(0).type().dtype);
  return cast(context.aligned(context.node().operand(0)), dtype);
}

}  // namespace

NFX_OPS(copies) {
  for (const char* schema :
       {"aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
        "aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, "
        "Device? device=None, bool? pin_memory=None, bool non_blocking=False, "
        "MemoryFormat? memory_format=None) -> Tensor",
        "aten::lift_fresh_copy(Tensor self) -> Tensor"}) {
    op(schema).pointwise(Promote::kFirst).type(copied_type).element(copied);
  }
  op("aten::lift_fresh(Tensor(a) self) -> Tensor(a)")
      .view([](ElementContext& c) { return c.read(c.node().operand(0), c.index()); },
            [](Node node) -> Result<TypeId> { return node.operand(0).type_id(); })
      .traits({Trait::kReshape});
  // self says shape and dtype, src the elements.
  op("aten::copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor")
      .pointwise(Promote::kFirst)
      .type([](Node node) -> Result<TypeId> { return node.operand(0).type_id(); })
      .element([](ElementContext& context) {
        const Node node = context.node();
        return cast(context.aligned(node.operand(1)), node.operand(0).type().dtype);
      });
}

}  // namespace nfx
