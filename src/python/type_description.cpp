#include "python/type_description.h"

#include "python/torch_objects.h"

namespace nfx::python {
namespace {

constexpr const char* kLayoutNames[] = {"strided",    "sparse_coo", "sparse_csr", "sparse_csc",
                                        "sparse_bsr", "sparse_bsc", "_mkldnn",    "jagged"};

nb::object describe_all(const Context& context, std::span<const SymExprId> exprs) {
  nb::list items;
  for (const SymExprId expr : exprs) items.append(describe(context, expr));
  return nb::tuple(items);
}

nb::object describe_tensor(const Context& context, const Type& type) {
  const bool known_strides = type.strides.size() == type.sizes.size();
  return nb::make_tuple(
      "tensor", TorchObjects::get().dtype_object(type.dtype), describe_all(context, type.sizes),
      known_strides ? describe_all(context, type.strides) : nb::object(nb::none()),
      py_text(type.device ? context.text(type.device) : "cpu"),
      kLayoutNames[static_cast<size_t>(type.layout)], type.requires_grad,
      type.storage_offset ? describe(context, type.storage_offset) : nb::object(nb::int_(0)));
}

nb::object describe_elements(const Context& context, const Type& type) {
  nb::list elements;
  for (const TypeId element : type.elements) {
    const nb::object part = describe(context, element);
    if (part.is_none()) return part;  // a tuple with an unknown part has no value
    elements.append(part);
  }
  return nb::make_tuple(type.kind == TypeKind::kTuple ? "tuple" : "list", nb::tuple(elements));
}

}  // namespace

nb::object describe(const Context& context, SymExprId expr) {
  if (!expr) return nb::none();
  const SymNode& node = sym_node(context, expr);
  switch (node.op) {
    case SymOp::kInt: return nb::int_(node.integer);
    case SymOp::kBool: return nb::bool_(node.integer != 0);
    case SymOp::kFloat: return nb::float_(node.real);
    default: return py_text(print_sym(context, expr));
  }
}

nb::object describe(const Context& context, TypeId id) {
  const Type& type = context.type(id);
  switch (type.kind) {
    case TypeKind::kUnknown: return nb::none();
    case TypeKind::kTensor: return describe_tensor(context, type);
    case TypeKind::kTuple:
    case TypeKind::kList: return describe_elements(context, type);
    case TypeKind::kNone: return nb::make_tuple("none");
    case TypeKind::kOpaque: return nb::make_tuple("opaque");
    case TypeKind::kScalar:
      return nb::make_tuple("scalar", TorchObjects::get().dtype_object(type.dtype),
                            describe(context, type.expr));
  }
  return nb::none();
}

}  // namespace nfx::python
