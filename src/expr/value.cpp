#include "expr/value.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

namespace nfx {
namespace {

template <class T>
T read(const void* base, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(base) + index * int64_t{sizeof(T)}, sizeof(T));
  return value;
}

template <class T>
void write(void* base, int64_t index, T value) {
  std::memcpy(static_cast<char*>(base) + index * int64_t{sizeof(T)}, &value, sizeof(T));
}

int64_t wrap(Dtype dtype, int64_t value) {
  switch (dtype) {
    case Dtype::kBool: return value != 0;
    case Dtype::kUInt8: return static_cast<uint8_t>(value);
    case Dtype::kInt8: return static_cast<int8_t>(value);
    case Dtype::kUInt16: return static_cast<uint16_t>(value);
    case Dtype::kInt16: return static_cast<int16_t>(value);
    case Dtype::kUInt32: return static_cast<uint32_t>(value);
    case Dtype::kInt32: return static_cast<int32_t>(value);
    default: return value;
  }
}

}  // namespace

Value make_value(Dtype dtype, double value) {
  assert(is_floating(dtype) && "a floating value needs a floating dtype");
  return {dtype, round_to(dtype, value), 0};
}

Value make_value(Dtype dtype, int64_t value) {
  assert(!is_floating(dtype) && "an integer value needs an integral dtype or bool");
  return {dtype, 0, wrap(dtype, value)};
}

bool as_bool(const Value& value) {
  return is_floating(value.dtype) ? value.number != 0 : value.integer != 0;
}

double as_double(const Value& value) {
  if (is_floating(value.dtype)) return value.number;
  if (value.dtype == Dtype::kUInt64) {
    return static_cast<double>(static_cast<uint64_t>(value.integer));
  }
  return static_cast<double>(value.integer);
}

bool same(const Value& a, const Value& b) {
  if (a.dtype != b.dtype) return false;
  if (!is_floating(a.dtype)) return a.integer == b.integer;
  if (std::isnan(a.number) && std::isnan(b.number)) return true;
  return std::bit_cast<uint64_t>(a.number) == std::bit_cast<uint64_t>(b.number);
}

Value load_value(const void* base, int64_t index, Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat64: return {dtype, read<double>(base, index), 0};
    case Dtype::kFloat32: return {dtype, double{read<float>(base, index)}, 0};
    case Dtype::kFloat16: return {dtype, double{from_float16_bits(read<uint16_t>(base, index))}, 0};
    case Dtype::kBFloat16:
      return {dtype, double{from_bfloat16_bits(read<uint16_t>(base, index))}, 0};
    default: break;
  }
  int64_t bits = 0;
  switch (dtype_size(dtype)) {
    case 1: bits = read<uint8_t>(base, index); break;
    case 2: bits = read<uint16_t>(base, index); break;
    case 4: bits = read<uint32_t>(base, index); break;
    default: bits = read<int64_t>(base, index); break;
  }
  return {dtype, 0, wrap(dtype, bits)};
}

void store_value(void* base, int64_t index, const Value& value) {
  const auto bits = static_cast<uint64_t>(value.integer);
  switch (value.dtype) {
    case Dtype::kFloat64: return write(base, index, value.number);
    case Dtype::kFloat32: return write(base, index, static_cast<float>(value.number));
    case Dtype::kFloat16:
      return write(base, index, to_float16_bits(static_cast<float>(value.number)));
    case Dtype::kBFloat16:
      return write(base, index, to_bfloat16_bits(static_cast<float>(value.number)));
    default: break;
  }
  switch (dtype_size(value.dtype)) {
    case 1: return write(base, index, static_cast<uint8_t>(bits));
    case 2: return write(base, index, static_cast<uint16_t>(bits));
    case 4: return write(base, index, static_cast<uint32_t>(bits));
    default: return write(base, index, bits);
  }
}

double round_to(Dtype dtype, double value) {
  switch (dtype) {
    case Dtype::kFloat64: return value;
    case Dtype::kFloat32: return double{static_cast<float>(value)};
    case Dtype::kFloat16:
      return double{from_float16_bits(to_float16_bits(static_cast<float>(value)))};
    case Dtype::kBFloat16:
      return double{from_bfloat16_bits(to_bfloat16_bits(static_cast<float>(value)))};
    default: assert(false && "no scalar arithmetic on this dtype"); return value;
  }
}

uint16_t to_float16_bits(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000;
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7e00);
  if (magnitude >= 65520.0f) return static_cast<uint16_t>(sign | 0x7c00);
  if (magnitude < 0x1p-14f) {  // subnormal: units of 2^-24
    return static_cast<uint16_t>(sign | static_cast<uint32_t>(std::nearbyint(magnitude * 0x1p24f)));
  }
  uint32_t rounded = (bits & 0x7fffffff) - (112u << 23);
  rounded += 0xfff + ((rounded >> 13) & 1);
  return static_cast<uint16_t>(sign | (rounded >> 13));
}

float from_float16_bits(uint16_t bits) {
  const float sign = (bits & 0x8000) != 0 ? -1.0f : 1.0f;
  const int exponent = (bits >> 10) & 0x1f;
  const int fraction = bits & 0x3ff;
  if (exponent == 0x1f) {
    return fraction != 0 ? std::numeric_limits<float>::quiet_NaN()
                         : sign * std::numeric_limits<float>::infinity();
  }
  if (exponent == 0) return sign * static_cast<float>(fraction) * 0x1p-24f;
  return sign * std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
}

uint16_t to_bfloat16_bits(float value) {
  if (std::isnan(value)) return 0x7fc0;
  const auto bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float from_bfloat16_bits(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

}  // namespace nfx
