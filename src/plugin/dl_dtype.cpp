#include "plugin/dl_dtype.h"

namespace nfx {

std::optional<nfx_data_type> to_dl(Dtype dtype) {
  enum : uint8_t { kInt = 0, kUint = 1, kFloat = 2, kBfloat = 4, kComplex = 5, kBool = 6 };
  const auto bits = static_cast<uint8_t>(8 * dtype_size(dtype));
  switch (dtype) {
    case Dtype::kInt8:
    case Dtype::kInt16:
    case Dtype::kInt32:
    case Dtype::kInt64: return nfx_data_type{kInt, bits, 1};
    case Dtype::kUInt8:
    case Dtype::kUInt16:
    case Dtype::kUInt32:
    case Dtype::kUInt64: return nfx_data_type{kUint, bits, 1};
    case Dtype::kFloat16:
    case Dtype::kFloat32:
    case Dtype::kFloat64: return nfx_data_type{kFloat, bits, 1};
    case Dtype::kBFloat16: return nfx_data_type{kBfloat, bits, 1};
    case Dtype::kComplex32:
    case Dtype::kComplex64:
    case Dtype::kComplex128: return nfx_data_type{kComplex, bits, 1};
    case Dtype::kBool: return nfx_data_type{kBool, bits, 1};
    default: return std::nullopt;
  }
}

}  // namespace nfx
