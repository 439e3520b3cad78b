// What a value is: tensor, symbolic scalar, tuple, none or opaque. Types are
// interned in their Context.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ir/dtype.h"
#include "ir/ids.h"

namespace nfx {

class Context;

enum class TypeKind : uint8_t { kUnknown, kTensor, kScalar, kTuple, kList, kNone, kOpaque };

enum class Layout : uint8_t {
  kStrided,
  kSparseCoo,
  kSparseCsr,
  kSparseCsc,
  kSparseBsr,
  kSparseBsc,
  kMkldnn,
  kJagged
};

// "strided", "sparse_coo", ... as `torch.layout` names them, and the inverse.
std::string_view layout_name(Layout layout);
std::optional<Layout> layout_from_name(std::string_view name);

// A device as PyTorch spells it: "cpu", "cuda:1", "meta".
struct Type {
  TypeKind kind = TypeKind::kUnknown;
  Dtype dtype = Dtype::kFloat32;       // tensor; scalar: kInt64, kFloat64 or kBool
  Layout layout = Layout::kStrided;    // tensor
  bool requires_grad = false;          // tensor
  StringId device;                     // tensor
  SymExprId expr;                      // scalar: its value as an expression
  std::span<const SymExprId> sizes;    // tensor
  std::span<const SymExprId> strides;  // tensor, in elements; empty if unknown or not strided
  SymExprId storage_offset;            // tensor, in elements; none is 0
  std::span<const TypeId> elements;    // tuple, list

  size_t rank() const { return sizes.size(); }
};

// Strides of a dense row-major tensor of these sizes; none if a size is not known.
std::vector<SymExprId> contiguous_strides(Context&, std::span<const SymExprId> sizes);

// The type of such a tensor.
TypeId contiguous_tensor(Context&, Dtype dtype, std::span<const SymExprId> sizes,
                         std::string_view device = "cpu");

}  // namespace nfx
