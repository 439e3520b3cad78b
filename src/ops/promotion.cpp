// PyTorch's type promotion (c10/core/ScalarType.h, at::result_type): tensors with
// dimensions count before 0-d tensors, and those before numbers; a lower class
// decides only if its kind (bool < integer < float < complex) is higher.
#include "ops/define.h"

namespace nfx {
namespace {

struct Class {
  bool any = false;
  Dtype dtype = Dtype::kBool;
  void add(Dtype other) {
    dtype = any ? promote(dtype, other) : other;
    any = true;
  }
};

int kind(Dtype dtype) {
  if (is_complex(dtype)) return 3;
  if (is_floating(dtype)) return 2;
  return is_integral(dtype) ? 1 : 0;
}

Class combine(const Class& higher, const Class& lower) {
  if (!higher.any) return lower;
  if (!lower.any || kind(higher.dtype) >= kind(lower.dtype)) return higher;
  return {true, promote(higher.dtype, lower.dtype)};
}

Dtype number_dtype(ArgumentView view) {
  switch (view.kind()) {
    case ArgKind::kBool: return Dtype::kBool;
    case ArgKind::kFloat: return Dtype::kFloat32;
    case ArgKind::kComplex: return Dtype::kComplex64;
    default: return Dtype::kInt64;
  }
}

Dtype default_float(Dtype dtype) { return kind(dtype) >= 2 ? dtype : Dtype::kFloat32; }

Dtype promoted(Node node, size_t count) {
  Class tensors, zero_dim, numbers;
  for (size_t i = 0; i < count; ++i) {
    const ArgumentView view = argument(node, i);
    if (!view || view.is_none()) continue;
    if (!view.is_node()) {
      numbers.add(number_dtype(view));
      continue;
    }
    const Type& type = view.node().type();
    if (type.kind == TypeKind::kScalar) {
      numbers.add(type.dtype == Dtype::kFloat64 ? Dtype::kFloat32 : type.dtype);
    } else {
      (type.rank() > 0 ? tensors : zero_dim).add(type.dtype);
    }
  }
  return combine(tensors, combine(zero_dim, numbers)).dtype;
}

}  // namespace

Dtype promoted_dtype(Node node) {
  const OpRow* row = op_row(node);
  switch (row->promote) {
    case Promote::kDefault:
    case Promote::kBoolResult: return promoted(node, row->value_operands);
    case Promote::kQuotient: {
      const Dtype dtype = promoted(node, row->value_operands);
      return string_argument(node, "rounding_mode").empty() ? default_float(dtype) : dtype;
    }
    case Promote::kIntToFloat: return default_float(promoted(node, row->value_operands));
    case Promote::kLogical: return Dtype::kBool;
    case Promote::kFirst:
    case Promote::kNone: break;
  }
  return node.operand(0).type().dtype;
}

bool is_half(Dtype dtype) { return dtype == Dtype::kFloat16 || dtype == Dtype::kBFloat16; }

Dtype arithmetic_dtype(Dtype dtype) { return is_half(dtype) ? Dtype::kFloat32 : dtype; }

Dtype compute_dtype(Node node) { return arithmetic_dtype(promoted_dtype(node)); }

}  // namespace nfx
