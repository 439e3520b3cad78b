// Every element type that PyTorch has. Numeric codes are PyTorch's own
// (c10::ScalarType), so that they cross any boundary as plain integers.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace nfx {

enum class Dtype : int8_t {
  kUInt8 = 0,
  kInt8 = 1,
  kInt16 = 2,
  kInt32 = 3,
  kInt64 = 4,
  kFloat16 = 5,
  kFloat32 = 6,
  kFloat64 = 7,
  kComplex32 = 8,
  kComplex64 = 9,
  kComplex128 = 10,
  kBool = 11,
  kQInt8 = 12,
  kQUInt8 = 13,
  kQInt32 = 14,
  kBFloat16 = 15,
  kQUInt4x2 = 16,
  kQUInt2x4 = 17,
  kBits1x8 = 18,
  kBits2x4 = 19,
  kBits4x2 = 20,
  kBits8 = 21,
  kBits16 = 22,
  kFloat8E5M2 = 23,
  kFloat8E4M3FN = 24,
  kFloat8E5M2FNUZ = 25,
  kFloat8E4M3FNUZ = 26,
  kUInt16 = 27,
  kUInt32 = 28,
  kUInt64 = 29,
  kUInt1 = 30,
  kUInt2 = 31,
  kUInt3 = 32,
  kUInt4 = 33,
  kUInt5 = 34,
  kUInt6 = 35,
  kUInt7 = 36,
  kInt1 = 37,
  kInt2 = 38,
  kInt3 = 39,
  kInt4 = 40,
  kInt5 = 41,
  kInt6 = 42,
  kInt7 = 43,
  kFloat8E8M0FNU = 44,
  kFloat4E2M1FNX2 = 45,
};
inline constexpr int kDtypeCount = 46;

// PyTorch's name without the `torch.` prefix ("float32"), and the inverse.
std::string_view dtype_name(Dtype dtype);
std::optional<Dtype> dtype_from_name(std::string_view name);

// Bytes of one element (packed sub-byte types count 1).
int dtype_size(Dtype dtype);

bool is_floating(Dtype dtype);  // real floating point, float8 included
bool is_complex(Dtype dtype);
bool is_integral(Dtype dtype);  // integers, without bool
bool is_signed(Dtype dtype);

// PyTorch's promotion lattice (c10::promoteTypes) for the types that take part in it.
Dtype promote(Dtype a, Dtype b);

}  // namespace nfx
