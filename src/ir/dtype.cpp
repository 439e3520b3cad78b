#include "ir/dtype.h"

#include <array>

namespace nfx {
namespace {

enum class Kind : uint8_t { kBool, kUnsigned, kSigned, kFloat, kComplex, kOther };

struct Row {
  std::string_view name;
  int8_t size;
  Kind kind;
};

constexpr std::array<Row, kDtypeCount> kRows = {{
    {"uint8", 1, Kind::kUnsigned},
    {"int8", 1, Kind::kSigned},
    {"int16", 2, Kind::kSigned},
    {"int32", 4, Kind::kSigned},
    {"int64", 8, Kind::kSigned},
    {"float16", 2, Kind::kFloat},
    {"float32", 4, Kind::kFloat},
    {"float64", 8, Kind::kFloat},
    {"complex32", 4, Kind::kComplex},
    {"complex64", 8, Kind::kComplex},
    {"complex128", 16, Kind::kComplex},
    {"bool", 1, Kind::kBool},
    {"qint8", 1, Kind::kOther},
    {"quint8", 1, Kind::kOther},
    {"qint32", 4, Kind::kOther},
    {"bfloat16", 2, Kind::kFloat},
    {"quint4x2", 1, Kind::kOther},
    {"quint2x4", 1, Kind::kOther},
    {"bits1x8", 1, Kind::kOther},
    {"bits2x4", 1, Kind::kOther},
    {"bits4x2", 1, Kind::kOther},
    {"bits8", 1, Kind::kOther},
    {"bits16", 2, Kind::kOther},
    {"float8_e5m2", 1, Kind::kFloat},
    {"float8_e4m3fn", 1, Kind::kFloat},
    {"float8_e5m2fnuz", 1, Kind::kFloat},
    {"float8_e4m3fnuz", 1, Kind::kFloat},
    {"uint16", 2, Kind::kUnsigned},
    {"uint32", 4, Kind::kUnsigned},
    {"uint64", 8, Kind::kUnsigned},
    {"uint1", 1, Kind::kOther},
    {"uint2", 1, Kind::kOther},
    {"uint3", 1, Kind::kOther},
    {"uint4", 1, Kind::kOther},
    {"uint5", 1, Kind::kOther},
    {"uint6", 1, Kind::kOther},
    {"uint7", 1, Kind::kOther},
    {"int1", 1, Kind::kOther},
    {"int2", 1, Kind::kOther},
    {"int3", 1, Kind::kOther},
    {"int4", 1, Kind::kOther},
    {"int5", 1, Kind::kOther},
    {"int6", 1, Kind::kOther},
    {"int7", 1, Kind::kOther},
    {"float8_e8m0fnu", 1, Kind::kFloat},
    {"float4_e2m1fn_x2", 1, Kind::kOther},
}};

const Row& row(Dtype dtype) { return kRows[static_cast<size_t>(dtype)]; }

// The two categories above integers decide at once; within integers the wider
// type wins, and unsigned meets signed in the next wider signed type.
Dtype promote_integers(Dtype a, Dtype b) {
  const Row& ra = row(a);
  const Row& rb = row(b);
  if (ra.kind == rb.kind) return ra.size >= rb.size ? a : b;
  const Row& u = ra.kind == Kind::kUnsigned ? ra : rb;
  const Row& s = ra.kind == Kind::kUnsigned ? rb : ra;
  const int width = s.size > u.size ? s.size : u.size * 2;
  switch (width) {
    case 2: return Dtype::kInt16;
    case 4: return Dtype::kInt32;
    default: return Dtype::kInt64;
  }
}

Dtype promote_floats(Dtype a, Dtype b) {
  if (row(a).size != row(b).size) return row(a).size > row(b).size ? a : b;
  return Dtype::kFloat32;  // float16 with bfloat16
}

Dtype complex_of(Dtype dtype) {
  if (is_complex(dtype)) return dtype;
  if (dtype == Dtype::kFloat64) return Dtype::kComplex128;
  return dtype == Dtype::kFloat16 ? Dtype::kComplex32 : Dtype::kComplex64;
}

}  // namespace

std::string_view dtype_name(Dtype dtype) { return row(dtype).name; }

std::optional<Dtype> dtype_from_name(std::string_view name) {
  for (int i = 0; i < kDtypeCount; ++i) {
    if (kRows[static_cast<size_t>(i)].name == name) return static_cast<Dtype>(i);
  }
  return std::nullopt;
}

int dtype_size(Dtype dtype) { return row(dtype).size; }
bool is_floating(Dtype dtype) { return row(dtype).kind == Kind::kFloat; }
bool is_complex(Dtype dtype) { return row(dtype).kind == Kind::kComplex; }

bool is_integral(Dtype dtype) {
  return row(dtype).kind == Kind::kSigned || row(dtype).kind == Kind::kUnsigned;
}

bool is_signed(Dtype dtype) {
  return row(dtype).kind == Kind::kSigned || is_floating(dtype) || is_complex(dtype);
}

Dtype promote(Dtype a, Dtype b) {
  if (a == b) return a;
  if (is_complex(a) || is_complex(b)) {
    if (is_integral(a) || a == Dtype::kBool) return b;
    if (is_integral(b) || b == Dtype::kBool) return a;
    const Dtype ca = complex_of(a);
    const Dtype cb = complex_of(b);
    return row(ca).size >= row(cb).size ? ca : cb;
  }
  if (is_floating(a) && is_floating(b)) return promote_floats(a, b);
  if (is_floating(a)) return a;
  if (is_floating(b)) return b;
  if (a == Dtype::kBool) return b;
  if (b == Dtype::kBool) return a;
  return promote_integers(a, b);
}

}  // namespace nfx
