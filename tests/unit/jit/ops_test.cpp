// Each operation of expr_op.h, on special and random values of each dtype,
// against its definition in expr/evaluate.h.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "expr/evaluate.h"
#include "jit/compiled.h"
#include "loop/builder.h"

namespace nfx {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<Value> special_values(Dtype dtype) {
  std::vector<Value> values;
  if (is_floating(dtype)) {
    const double tiny = dtype == Dtype::kFloat64 ? 0x1p-1074 : 0x1p-149;
    const double huge = dtype == Dtype::kFloat64 ? std::numeric_limits<double>::max()
                                                 : double{std::numeric_limits<float>::max()};
    for (double x : {0.0,  1.0,   0.5,   1.5, 2.0, 2.5,  3.0,  1e-6, 0.7,  10.0,
                     88.0, 103.5, 300.0, 1e5, 3e9, 1e19, 1e30, tiny, huge, kInf}) {
      values.push_back(make_value(dtype, x));
      values.push_back(make_value(dtype, -x));
    }
    values.push_back(make_value(dtype, kNan));
    return values;
  }
  for (int64_t x : {0, 1, 2, 3, 7, 31, 63, 64, 100, 127, 255, 32767, -1, -2, -3, -8, -128}) {
    values.push_back(make_value(dtype, x));
  }
  for (int64_t x : {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(),
                    int64_t{std::numeric_limits<int32_t>::min()}}) {
    values.push_back(make_value(dtype, x));
  }
  return values;
}

// Numbers of all sizes, mostly ordinary ones.
std::vector<Value> random_values(Dtype dtype, int count, uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<Value> values;
  for (int k = 0; k < count; ++k) {
    const double size = std::exp2(static_cast<double>(k % 40) - 20);
    if (is_floating(dtype)) {
      values.push_back(make_value(dtype, normal(engine) * size));
    } else {
      values.push_back(make_value(dtype, static_cast<int64_t>(engine() >> (k % 64))));
    }
  }
  return values;
}

// How many representable numbers lie between the two.
int64_t ulps(const Value& a, const Value& b) {
  if (std::isnan(a.number) && std::isnan(b.number)) return 0;
  if (std::isnan(a.number) || std::isnan(b.number)) return 1 << 30;
  const auto order = [&](double x) -> int64_t {
    if (a.dtype == Dtype::kFloat64) {
      const auto bits = std::bit_cast<int64_t>(x);
      return bits < 0 ? std::numeric_limits<int64_t>::min() - bits : bits;
    }
    const auto bits = std::bit_cast<int32_t>(static_cast<float>(x));
    return bits < 0 ? int64_t{std::numeric_limits<int32_t>::min()} - bits : int64_t{bits};
  };
  const int64_t x = order(a.number);
  const int64_t y = order(b.number);
  if ((x < 0) != (y < 0) && std::llabs(x / 2 - y / 2) > (1 << 29)) return 1 << 30;
  const int64_t distance = std::llabs(x - y);
  const bool zero_sign = distance == 0 && std::signbit(a.number) != std::signbit(b.number);
  return zero_sign ? 1 << 30 : distance;
}

int allowed_ulps(ExprOp op) {
  switch (op) {
    case ExprOp::kRsqrt: return 1;
    case ExprOp::kExp:
    case ExprOp::kExp2:
    case ExprOp::kExpm1:
    case ExprOp::kLog:
    case ExprOp::kLog2:
    case ExprOp::kLog10:
    case ExprOp::kLog1p:
    case ExprOp::kSin:
    case ExprOp::kCos:
    case ExprOp::kTan:
    case ExprOp::kTanh:
    case ExprOp::kErf:
    case ExprOp::kSigmoid:
    case ExprOp::kPow: return 2;
    case ExprOp::kSinh:
    case ExprOp::kCosh:
    case ExprOp::kAsinh:
    case ExprOp::kAcosh:
    case ExprOp::kAtanh: return 4;
    default: return 0;
  }
}

// sigmoid of a large negative number is a power that its definition rounds to 0.
bool underflows(ExprOp op, const Value& got, const Value& want) {
  return op == ExprOp::kSigmoid && want.number == 0 && got.number < 1e-37;
}

void expect_agrees(const ExprNode& node, const std::vector<Value>& operands, const Value& got) {
  const Value want = evaluate(node, operands.data());
  if (same(got, want)) return;
  std::string text =
      std::string(name(node.op)) + " of " + std::string(dtype_name(operands[0].dtype));
  for (const Value& operand : operands) {
    text += " " + (is_floating(operand.dtype) ? std::to_string(operand.number)
                                              : std::to_string(operand.integer));
  }
  if (is_floating(want.dtype)) {
    EXPECT_TRUE(ulps(got, want) <= allowed_ulps(node.op) || underflows(node.op, got, want))
        << text << ": got " << got.number << ", want " << want.number << ", " << ulps(got, want)
        << " ulp";
  } else {
    ADD_FAILURE() << text << ": got " << got.integer << ", want " << want.integer;
  }
}

Kernel pointwise_kernel(const ExprNode& shape, Dtype dtype) {
  KernelBuilder k("op");
  const Extent size = k.size();
  std::vector<BufferId> inputs;
  for (int i = 0; i < arity(shape.op); ++i) inputs.push_back(k.buffer(dtype, BufferUse::kIn));
  const BufferId out = k.buffer(shape.dtype, BufferUse::kOut);
  const DimId i = k.dense(size, "i");
  k.rows({i});
  k.stage({}, {});
  ExprNode node = shape;
  for (size_t n = 0; n < inputs.size(); ++n) {
    node.operands[n] = k.load(inputs[n], k.index(i)).id;
  }
  k.store(out, k.index(i), Expr{&k.exprs(), k.exprs().add(node)});
  return std::move(k).take();
}

void check(ExprOp op, Dtype dtype, Dtype result, const std::vector<std::vector<Value>>& inputs) {
  const ExprNode node{op, result};
  const Kernel kernel = pointwise_kernel(node, dtype);
  const auto count = static_cast<int64_t>(inputs[0].size());
  std::vector<Memory> memory;
  for (const std::vector<Value>& values : inputs) {
    memory.emplace_back(dtype, count);
    for (int64_t k = 0; k < count; ++k) memory.back().set(k, values[static_cast<size_t>(k)]);
  }
  memory.emplace_back(result, count);
  const auto code = compiled(kernel);
  ASSERT_NE(code, nullptr);
  run(kernel, *code, memory, {count});
  for (int64_t k = 0; k < count; ++k) {
    std::vector<Value> operands;
    for (size_t n = 0; n + 1 < memory.size(); ++n) operands.push_back(memory[n].at(k));
    expect_agrees(node, operands, memory.back().at(k));
    if (::testing::Test::HasFailure()) return;
  }
}

bool takes(ExprOp op, Dtype dtype) {
  if (op < ExprOp::kNeg) return false;
  const bool bits = op == ExprOp::kNot || (op >= ExprOp::kAnd && op <= ExprOp::kShr);
  if (is_floating(dtype)) return !bits;
  if (op >= ExprOp::kSqrt && op <= ExprOp::kLgamma) return false;
  return op != ExprOp::kAtan2 && op != ExprOp::kHypot && op != ExprOp::kCopysign &&
         op != ExprOp::kNextafter;
}

void check_op(ExprOp op, Dtype dtype) {
  const Dtype result = is_predicate(op) ? Dtype::kBool : dtype;
  const std::vector<Value> specials = special_values(dtype);
  std::vector<Value> x = random_values(dtype, 200, 1);
  std::vector<Value> y = random_values(dtype, 200, 2);
  for (const Value& first : specials) {
    for (const Value& second : specials) {
      x.push_back(first);
      y.push_back(second);
    }
  }
  std::vector<std::vector<Value>> inputs = {x};
  if (arity(op) == 2) inputs.push_back(y);
  check(op, dtype, result, inputs);
}

class Ops : public ::testing::TestWithParam<int> {};

TEST_P(Ops, AsDefined) {
  const auto op = static_cast<ExprOp>(GetParam());
  for (Dtype dtype : {Dtype::kFloat32, Dtype::kFloat64, Dtype::kInt64, Dtype::kInt32, Dtype::kInt16,
                      Dtype::kInt8, Dtype::kUInt8, Dtype::kUInt32, Dtype::kUInt64, Dtype::kBool}) {
    if (takes(op, dtype)) check_op(op, dtype);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Ops, ::testing::Range(static_cast<int>(ExprOp::kNeg), static_cast<int>(ExprOp::kGe) + 1),
    [](const auto& each) { return std::string(name(static_cast<ExprOp>(each.param))); });

class Casts : public ::testing::TestWithParam<Dtype> {};

TEST_P(Casts, AsDefined) {
  const Dtype from = GetParam();
  std::vector<Value> values = special_values(from);
  for (const Value& value : random_values(from, 300, 3)) values.push_back(value);
  for (Dtype to : {Dtype::kFloat32, Dtype::kFloat64, Dtype::kFloat16, Dtype::kBFloat16,
                   Dtype::kInt64, Dtype::kInt32, Dtype::kInt16, Dtype::kInt8, Dtype::kUInt8,
                   Dtype::kUInt16, Dtype::kUInt32, Dtype::kUInt64, Dtype::kBool}) {
    check(ExprOp::kCast, from, to, {values});
  }
}

INSTANTIATE_TEST_SUITE_P(All, Casts,
                         ::testing::Values(Dtype::kFloat32, Dtype::kFloat64, Dtype::kFloat16,
                                           Dtype::kBFloat16, Dtype::kInt64, Dtype::kInt32,
                                           Dtype::kInt8, Dtype::kUInt8, Dtype::kUInt64,
                                           Dtype::kBool),
                         [](const auto& each) { return std::string(dtype_name(each.param)); });

}  // namespace
}  // namespace nfx
