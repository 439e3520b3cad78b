#include "expr/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace nfx {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kMin64 = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax64 = std::numeric_limits<int64_t>::max();

std::string show(const Value& value) {
  if (is_floating(value.dtype)) return std::to_string(value.number);
  return std::to_string(value.integer);
}

// What each operation on floats gives: at ordinary values and at corners.
struct FloatCase {
  ExprOp op;
  double x, y, want;
};

void PrintTo(const FloatCase& c, std::ostream* out) {
  *out << name(c.op) << "(" << c.x << ", " << c.y << ")";
}

class FloatOps : public testing::TestWithParam<FloatCase> {};

TEST_P(FloatOps, GiveTheExpectedValue) {
  const FloatCase& c = GetParam();
  for (Dtype dtype : {Dtype::kFloat32, Dtype::kFloat64}) {
    const Value x = make_value(dtype, c.x);
    const Value y = make_value(dtype, c.y);
    const Value got = arity(c.op) == 1 ? evaluate_unary(c.op, x) : evaluate_binary(c.op, x, y);
    if (is_predicate(c.op)) {
      EXPECT_EQ(got.dtype, Dtype::kBool);
      EXPECT_EQ(got.integer, c.want);
      continue;
    }
    EXPECT_EQ(got.dtype, dtype);
    const Value want = make_value(dtype, c.want);
    const double tolerance = dtype == Dtype::kFloat32 ? 1e-6 : 1e-14;
    const bool near = std::fabs(got.number - want.number) <= tolerance * std::fabs(want.number) &&
                      want.number != 0;
    EXPECT_TRUE(same(got, want) || near) << show(got) << " instead of " << show(want);
  }
}

using Op = ExprOp;
const std::vector<FloatCase> kFloatCases = {{Op::kNeg, 0, 0, -0.0},
                                            {Op::kNeg, 2, 0, -2},
                                            {Op::kAbs, -0.0, 0, 0.0},
                                            {Op::kAbs, -kInf, 0, kInf},
                                            {Op::kSign, -3, 0, -1},
                                            {Op::kSign, 3, 0, 1},
                                            {Op::kSign, -0.0, 0, 0.0},
                                            {Op::kSign, kNan, 0, 0.0},
                                            {Op::kSqrt, 2, 0, 1.4142135623730951},
                                            {Op::kSqrt, -1, 0, kNan},
                                            {Op::kSqrt, -0.0, 0, -0.0},
                                            {Op::kRsqrt, 4, 0, 0.5},
                                            {Op::kRsqrt, 0, 0, kInf},
                                            {Op::kRsqrt, kInf, 0, 0.0},
                                            {Op::kExp, 1, 0, 2.718281828459045},
                                            {Op::kExp, -kInf, 0, 0.0},
                                            {Op::kExp, kNan, 0, kNan},
                                            {Op::kExp2, 3, 0, 8},
                                            {Op::kExpm1, -0.0, 0, -0.0},
                                            {Op::kExpm1, 1, 0, 1.718281828459045},
                                            {Op::kLog, 10, 0, 2.302585092994046},
                                            {Op::kLog, 0, 0, -kInf},
                                            {Op::kLog, -1, 0, kNan},
                                            {Op::kLog2, 8, 0, 3},
                                            {Op::kLog10, 1000, 0, 3},
                                            {Op::kLog1p, -1, 0, -kInf},
                                            {Op::kLog1p, 1, 0, 0.6931471805599453},
                                            {Op::kSin, 1, 0, 0.8414709848078965},
                                            {Op::kSin, kInf, 0, kNan},
                                            {Op::kSin, -0.0, 0, -0.0},
                                            {Op::kCos, 1, 0, 0.5403023058681398},
                                            {Op::kTan, 1, 0, 1.5574077246549023},
                                            {Op::kAsin, 0.5, 0, 0.5235987755982989},
                                            {Op::kAsin, 2, 0, kNan},
                                            {Op::kAcos, 0.5, 0, 1.0471975511965979},
                                            {Op::kAtan, kInf, 0, 1.5707963267948966},
                                            {Op::kSinh, 1, 0, 1.1752011936438014},
                                            {Op::kCosh, 1, 0, 1.5430806348152437},
                                            {Op::kTanh, 1, 0, 0.7615941559557649},
                                            {Op::kTanh, -kInf, 0, -1},
                                            {Op::kAsinh, 1, 0, 0.881373587019543},
                                            {Op::kAcosh, 2, 0, 1.3169578969248166},
                                            {Op::kAcosh, 0.5, 0, kNan},
                                            {Op::kAtanh, 0.5, 0, 0.5493061443340549},
                                            {Op::kAtanh, 1, 0, kInf},
                                            {Op::kErf, 1, 0, 0.8427007929497149},
                                            {Op::kErf, -kInf, 0, -1},
                                            {Op::kErfc, 1, 0, 0.15729920705028513},
                                            {Op::kSigmoid, 0, 0, 0.5},
                                            {Op::kSigmoid, -kInf, 0, 0.0},
                                            {Op::kSigmoid, kInf, 0, 1},
                                            {Op::kLgamma, 5, 0, 3.1780538303479458},
                                            {Op::kLgamma, -1, 0, kInf},
                                            {Op::kFloor, -1.5, 0, -2},
                                            {Op::kFloor, -0.0, 0, -0.0},
                                            {Op::kCeil, -0.5, 0, -0.0},
                                            {Op::kTrunc, -1.75, 0, -1},
                                            {Op::kRound, 0.5, 0, 0},
                                            {Op::kRound, 1.5, 0, 2},
                                            {Op::kRound, 2.5, 0, 2},
                                            {Op::kRound, -0.5, 0, -0.0},
                                            {Op::kIsNan, kNan, 0, 1},
                                            {Op::kIsNan, kInf, 0, 0},
                                            {Op::kIsInf, -kInf, 0, 1},
                                            {Op::kIsInf, kNan, 0, 0},
                                            {Op::kAdd, -0.0, 0.0, 0.0},
                                            {Op::kAdd, kInf, -kInf, kNan},
                                            {Op::kSub, 1, 3, -2},
                                            {Op::kMul, kInf, 0, kNan},
                                            {Op::kMul, -1, 0, -0.0},
                                            {Op::kDiv, 1, -0.0, -kInf},
                                            {Op::kDiv, 0, 0, kNan},
                                            {Op::kFloorDiv, 7, -2, -4},
                                            {Op::kFloorDiv, -7, 2, -4},
                                            {Op::kFloorDiv, 1, 0, kInf},
                                            {Op::kFloorDiv, -0.5, kInf, -1},
                                            {Op::kRemainder, -7, 3, 2},
                                            {Op::kRemainder, 7, -3, -2},
                                            {Op::kRemainder, 1, 0, kNan},
                                            {Op::kRemainder, 5, kInf, 5},
                                            {Op::kRemainder, -5, kInf, kInf},
                                            {Op::kFmod, -7, 3, -1},
                                            {Op::kFmod, 7, -3, 1},
                                            {Op::kFmod, 1, 0, kNan},
                                            {Op::kPow, 2, 10, 1024},
                                            {Op::kPow, -8, 1.0 / 3, kNan},
                                            {Op::kPow, kNan, 0, 1},
                                            {Op::kPow, 1, kNan, 1},
                                            {Op::kPow, 0, -1, kInf},
                                            {Op::kAtan2, -0.0, -1, -3.141592653589793},
                                            {Op::kHypot, 3, 4, 5},
                                            {Op::kHypot, kInf, kNan, kInf},
                                            {Op::kCopysign, 3, -0.0, -3},
                                            {Op::kNextafter, 1, 1, 1},
                                            {Op::kNextafter, kInf, kInf, kInf},
                                            {Op::kMin, 1, 2, 1},
                                            {Op::kMin, kNan, 2, kNan},
                                            {Op::kMin, 2, kNan, kNan},
                                            {Op::kMin, 0.0, -0.0, -0.0},
                                            {Op::kMin, -0.0, 0.0, 0.0},
                                            {Op::kMax, 1, 2, 2},
                                            {Op::kMax, kNan, kInf, kNan},
                                            {Op::kMax, kInf, kNan, kNan},
                                            {Op::kFmin, kNan, 2, 2},
                                            {Op::kFmin, 2, kNan, 2},
                                            {Op::kFmax, kNan, 2, 2},
                                            {Op::kFmax, 1, 2, 2},
                                            {Op::kFmax, kNan, kNan, kNan},
                                            {Op::kEq, 0.0, -0.0, 1},
                                            {Op::kEq, kNan, kNan, 0},
                                            {Op::kNe, kNan, kNan, 1},
                                            {Op::kLt, 1, 2, 1},
                                            {Op::kLt, kNan, 2, 0},
                                            {Op::kLe, 2, 2, 1},
                                            {Op::kGt, 1, 2, 0},
                                            {Op::kGe, kNan, kNan, 0}};

INSTANTIATE_TEST_SUITE_P(All, FloatOps, testing::ValuesIn(kFloatCases));

struct IntegerCase {
  ExprOp op;
  Dtype dtype;
  int64_t x, y, want;
};

void PrintTo(const IntegerCase& c, std::ostream* out) {
  *out << name(c.op) << " " << dtype_name(c.dtype) << "(" << c.x << ", " << c.y << ")";
}

class IntegerOps : public testing::TestWithParam<IntegerCase> {};

TEST_P(IntegerOps, GiveTheExpectedValue) {
  const IntegerCase& c = GetParam();
  const Value x = make_value(c.dtype, c.x);
  const Value y = make_value(c.dtype, c.y);
  const Value got = arity(c.op) == 1 ? evaluate_unary(c.op, x) : evaluate_binary(c.op, x, y);
  EXPECT_EQ(got.integer, c.want);
  EXPECT_EQ(got.dtype, is_predicate(c.op) ? Dtype::kBool : c.dtype);
}

constexpr Dtype kI8 = Dtype::kInt8, kU8 = Dtype::kUInt8, kI32 = Dtype::kInt32, kI64 = Dtype::kInt64,
                kU64 = Dtype::kUInt64, kB = Dtype::kBool;
constexpr int64_t kHuge = -2;  // as uint64: the second largest

const std::vector<IntegerCase> kIntegerCases = {{Op::kNeg, kI8, -128, 0, -128},
                                                {Op::kNeg, kU8, 1, 0, 255},
                                                {Op::kAbs, kI8, -128, 0, -128},
                                                {Op::kAbs, kI64, -5, 0, 5},
                                                {Op::kAbs, kU64, kHuge, 0, kHuge},
                                                {Op::kSign, kI32, -9, 0, -1},
                                                {Op::kSign, kU64, kHuge, 0, 1},
                                                {Op::kNot, kI32, 0, 0, -1},
                                                {Op::kNot, kU8, 1, 0, 254},
                                                {Op::kNot, kB, 1, 0, 0},
                                                {Op::kNot, kB, 0, 0, 1},
                                                {Op::kFloor, kI32, 7, 0, 7},
                                                {Op::kCeil, kI32, 7, 0, 7},
                                                {Op::kTrunc, kI32, 7, 0, 7},
                                                {Op::kRound, kI32, 7, 0, 7},
                                                {Op::kIsNan, kI64, 7, 0, 0},
                                                {Op::kIsInf, kI64, 7, 0, 0},
                                                {Op::kAdd, kI8, 127, 1, -128},
                                                {Op::kAdd, kI64, kMax64, 1, kMin64},
                                                {Op::kSub, kU8, 0, 1, 255},
                                                {Op::kMul, kI32, 65536, 65536, 0},
                                                {Op::kDiv, kI32, -7, 2, -3},
                                                {Op::kDiv, kI32, 7, 0, 0},
                                                {Op::kDiv, kI64, kMin64, -1, kMin64},
                                                {Op::kDiv, kU64, kHuge, 2, kMax64},
                                                {Op::kFloorDiv, kI32, -7, 2, -4},
                                                {Op::kFloorDiv, kI32, 7, -2, -4},
                                                {Op::kFloorDiv, kI32, -8, 2, -4},
                                                {Op::kFloorDiv, kI32, 7, 0, 0},
                                                {Op::kFloorDiv, kU64, kHuge, 2, kMax64},
                                                {Op::kRemainder, kI32, -7, 3, 2},
                                                {Op::kRemainder, kI32, 7, -3, -2},
                                                {Op::kRemainder, kI32, 7, 0, 0},
                                                {Op::kRemainder, kI64, kMin64, -1, 0},
                                                {Op::kFmod, kI32, -7, 3, -1},
                                                {Op::kFmod, kI32, 7, 0, 0},
                                                {Op::kPow, kI32, 3, 4, 81},
                                                {Op::kPow, kI64, 2, 64, 0},
                                                {Op::kPow, kI32, 2, -1, 0},
                                                {Op::kPow, kI32, -1, -3, -1},
                                                {Op::kPow, kI32, 1, -3, 1},
                                                {Op::kPow, kI32, 0, 0, 1},
                                                {Op::kMin, kI32, -1, 1, -1},
                                                {Op::kMin, kU64, kHuge, 1, 1},
                                                {Op::kMax, kU64, kHuge, 1, kHuge},
                                                {Op::kMax, kB, 0, 1, 1},
                                                {Op::kFmin, kI32, 3, 2, 2},
                                                {Op::kFmax, kI32, 3, 2, 3},
                                                {Op::kAnd, kI32, 12, 10, 8},
                                                {Op::kOr, kI32, 12, 10, 14},
                                                {Op::kXor, kI32, 12, 10, 6},
                                                {Op::kXor, kB, 1, 1, 0},
                                                {Op::kAnd, kB, 1, 0, 0},
                                                {Op::kOr, kB, 1, 0, 1},
                                                {Op::kShl, kI8, 1, 7, -128},
                                                {Op::kShl, kI32, 1, 32, 0},
                                                {Op::kShl, kI32, 1, -1, 0},
                                                {Op::kShr, kI32, -8, 1, -4},
                                                {Op::kShr, kI32, -8, 99, -1},
                                                {Op::kShr, kU8, 255, 7, 1},
                                                {Op::kShr, kU8, 255, 8, 0},
                                                {Op::kShr, kU64, -1, 63, 1},
                                                {Op::kEq, kI32, 1, 1, 1},
                                                {Op::kNe, kB, 0, 1, 1},
                                                {Op::kLt, kU64, 1, kHuge, 1},
                                                {Op::kLe, kI64, -1, 0, 1},
                                                {Op::kGt, kU8, 255, 1, 1},
                                                {Op::kGe, kI8, -1, 1, 0}};

INSTANTIATE_TEST_SUITE_P(All, IntegerOps, testing::ValuesIn(kIntegerCases));

TEST(Evaluate, EveryOperationHasACase) {
  std::set<ExprOp> tested;
  for (const FloatCase& c : kFloatCases) tested.insert(c.op);
  for (const IntegerCase& c : kIntegerCases) tested.insert(c.op);
  for (int n = static_cast<int>(ExprOp::kNeg); n <= static_cast<int>(ExprOp::kGe); ++n) {
    EXPECT_TRUE(tested.contains(static_cast<ExprOp>(n))) << name(static_cast<ExprOp>(n));
  }
}

TEST(Evaluate, NamesAreFoundAgain) {
  for (int n = 0; n <= static_cast<int>(ExprOp::kGe); ++n) {
    const auto op = static_cast<ExprOp>(n);
    EXPECT_EQ(expr_op_from_name(name(op)), op);
  }
  EXPECT_FALSE(expr_op_from_name("no such operation").has_value());
}

TEST(Evaluate, SinglePrecisionRoundsOnce) {
  const Value third = make_value(Dtype::kFloat32, 1.0 / 3);
  EXPECT_EQ(third.number, double{1.0f / 3.0f});
  const Value big = make_value(Dtype::kFloat32, 3e38);
  EXPECT_EQ(evaluate_binary(Op::kAdd, big, big).number, kInf);
  const Value one = make_value(Dtype::kFloat32, 1.0);
  const Value next = evaluate_binary(Op::kNextafter, one, big);
  EXPECT_EQ(next.number, double{std::nextafter(1.0f, 2.0f)});
  const Value tenth = make_value(Dtype::kFloat32, 0.1);
  EXPECT_EQ(evaluate_binary(Op::kFloorDiv, one, tenth).number, 9);
}

}  // namespace
}  // namespace nfx
