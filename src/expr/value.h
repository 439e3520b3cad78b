// A value of one element, and how it lies in memory.
#pragma once
#include <cstdint>

#include "ir/dtype.h"

namespace nfx {

// Floating dtypes keep their value in `number`, integers and bool in `integer`
// (uint64 as the same bits). float16 and bfloat16 values hold float precision
// between a load or cast and the next store or cast.
struct Value {
  Dtype dtype = Dtype::kInt64;
  double number = 0;
  int64_t integer = 0;
};

// A value exactly representable in `dtype`: floats are rounded to nearest even,
// integers wrap at their width, bool is `value != 0`.
Value make_value(Dtype dtype, double value);   // floating dtypes
Value make_value(Dtype dtype, int64_t value);  // integers and bool

bool as_bool(const Value& value);
double as_double(const Value& value);

// Same dtype and same bits; NaNs of any payload are the same.
bool same(const Value& a, const Value& b);

Value load_value(const void* base, int64_t index, Dtype dtype);
void store_value(void* base, int64_t index, const Value& value);

// Rounds to the nearest value of a floating dtype, ties to even.
double round_to(Dtype dtype, double value);

uint16_t to_float16_bits(float value);
float from_float16_bits(uint16_t bits);
uint16_t to_bfloat16_bits(float value);
float from_bfloat16_bits(uint16_t bits);

}  // namespace nfx
