#include "expr/value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "expr/evaluate.h"

namespace nfx {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kMin64 = std::numeric_limits<int64_t>::min();
constexpr Dtype kI8 = Dtype::kInt8, kU8 = Dtype::kUInt8, kI32 = Dtype::kInt32, kI64 = Dtype::kInt64,
                kU64 = Dtype::kUInt64, kB = Dtype::kBool;

// float -> integer, as x86 converts.
TEST(Value, CastsFromFloat) {
  struct Case {
    double x;
    Dtype to;
    int64_t want;
  };
  const Case cases[] = {{-1.9, kI64, -1},
                        {1e30, kI64, kMin64},
                        {kNan, kI64, kMin64},
                        {-kInf, kI64, kMin64},
                        {3e9, kI32, std::numeric_limits<int32_t>::min()},
                        {kNan, kI32, std::numeric_limits<int32_t>::min()},
                        {300, kU8, 44},
                        {-1, kU8, 255},
                        {200, kI8, -56},
                        {1e30, kI8, 0},
                        {3e9, Dtype::kUInt32, 3000000000},
                        {1.5e19, kU64, static_cast<int64_t>(15000000000000000000u)},
                        {0.5, kB, 1},
                        {kNan, kB, 1},
                        {-0.0, kB, 0}};
  for (const Case& c : cases) {
    const Value got = evaluate_cast(make_value(Dtype::kFloat64, c.x), c.to);
    EXPECT_EQ(got.integer, c.want) << c.x << " to " << dtype_name(c.to);
    EXPECT_EQ(got.dtype, c.to);
  }
}

TEST(Value, CastsFromInteger) {
  EXPECT_EQ(evaluate_cast(make_value(kI64, int64_t{300}), kU8).integer, 44);
  EXPECT_EQ(evaluate_cast(make_value(kI64, int64_t{-1}), kU64).integer, -1);
  EXPECT_EQ(evaluate_cast(make_value(kU64, int64_t{-1}), Dtype::kFloat64).number, 0x1p64);
  EXPECT_EQ(evaluate_cast(make_value(kI64, int64_t{256}), kB).integer, 1);
  EXPECT_EQ(evaluate_cast(make_value(kB, int64_t{1}), Dtype::kFloat32).number, 1);
  // Rounding first to double would give the even neighbour.
  const Value value = make_value(kI64, (int64_t{1} << 60) + (int64_t{1} << 36) + 1);
  EXPECT_EQ(evaluate_cast(value, Dtype::kFloat32).number, 0x1p60 + 0x1p37);
}

TEST(Value, HalfPrecision) {
  struct Case {
    double x, half, brain;
  };
  const Case cases[] = {{1, 1, 1},
                        {1 + 0x1p-11, 1, 1},
                        {1 + 3 * 0x1p-11, 1 + 0x1p-9, 1},
                        {1 + 0x1p-8, 1 + 0x1p-8, 1},
                        {65504, 65504, 65536},
                        {65519, 65504, 65536},
                        {65520, kInf, 65536},
                        {0x1p-24, 0x1p-24, 0x1p-24},
                        {0x1p-25, 0, 0x1p-25},
                        {-0x1.8p-25, -0x1p-24, -0x1.8p-25},
                        {-0.0, -0.0, -0.0},
                        {kInf, kInf, kInf},
                        {kNan, kNan, kNan}};
  for (const Case& c : cases) {
    const Value x = make_value(Dtype::kFloat64, c.x);
    const auto want = [](Dtype dtype, double number) { return Value{dtype, number, 0}; };
    EXPECT_TRUE(same(evaluate_cast(x, Dtype::kFloat16), want(Dtype::kFloat16, c.half))) << c.x;
    EXPECT_TRUE(same(evaluate_cast(x, Dtype::kBFloat16), want(Dtype::kBFloat16, c.brain))) << c.x;
  }
  for (int bits = 0; bits < 0x10000; ++bits) {
    const float half = from_float16_bits(static_cast<uint16_t>(bits));
    if (!std::isnan(half)) {
      EXPECT_EQ(to_float16_bits(half), bits);
    }
    const float brain = from_bfloat16_bits(static_cast<uint16_t>(bits));
    if (!std::isnan(brain)) {
      EXPECT_EQ(to_bfloat16_bits(brain), bits);
    }
  }
}

// 16-bit floats keep float precision between operations.
TEST(Value, HalfPrecisionRoundsWhenStored) {
  const Value one = make_value(Dtype::kBFloat16, 1.0);
  const Value tiny = make_value(Dtype::kBFloat16, 0x1p-12);
  const Value sum = evaluate_binary(ExprOp::kAdd, one, tiny);
  EXPECT_EQ(sum.number, 1 + 0x1p-12);
  uint16_t memory[2] = {};
  store_value(memory, 1, sum);
  EXPECT_EQ(load_value(memory, 1, Dtype::kBFloat16).number, 1);
}

TEST(Value, MemoryHoldsEveryDtype) {
  for (Dtype dtype :
       {kI8, kU8, Dtype::kInt16, Dtype::kUInt16, kI32, Dtype::kUInt32, kI64, kU64, kB}) {
    uint64_t memory[4] = {~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}};
    for (int64_t x : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{100}}) {
      const Value value = make_value(dtype, x);
      store_value(memory, 3, value);
      EXPECT_TRUE(same(load_value(memory, 3, dtype), value)) << dtype_name(dtype) << " " << x;
    }
    EXPECT_EQ(static_cast<uint8_t>(memory[0]), 0xff);
  }
}

}  // namespace
}  // namespace nfx
