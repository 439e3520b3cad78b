#include "ir/type.h"

#include <iterator>
#include <vector>

#include "ir/context.h"

namespace nfx {
namespace {

constexpr std::string_view kLayoutNames[] = {"strided",    "sparse_coo", "sparse_csr", "sparse_csc",
                                             "sparse_bsr", "sparse_bsc", "mkldnn",     "jagged"};

}  // namespace

std::string_view layout_name(Layout layout) { return kLayoutNames[static_cast<size_t>(layout)]; }

std::optional<Layout> layout_from_name(std::string_view name) {
  for (size_t i = 0; i < std::size(kLayoutNames); ++i) {
    if (kLayoutNames[i] == name) return static_cast<Layout>(i);
  }
  return std::nullopt;
}

std::vector<SymExprId> contiguous_strides(Context& context, std::span<const SymExprId> sizes) {
  for (const SymExprId size : sizes) {
    if (!size) return {};
  }
  std::vector<SymExprId> strides(sizes.size());
  SymExprId stride = sym_int(context, 1);
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    if (i == 0) break;
    // As PyTorch lays out tensors: a dimension of size 0 counts as 1.
    if (as_int(context, sizes[i]) != 0) stride = sym_mul(context, stride, sizes[i]);
  }
  return strides;
}

TypeId contiguous_tensor(Context& context, Dtype dtype, std::span<const SymExprId> sizes,
                         std::string_view device) {
  const std::vector<SymExprId> strides = contiguous_strides(context, sizes);
  Type type;
  type.kind = TypeKind::kTensor;
  type.dtype = dtype;
  type.device = context.intern(device);
  type.sizes = sizes;
  type.strides = strides;
  return context.intern(type);
}

}  // namespace nfx
