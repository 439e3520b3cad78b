// The polynomials against functions of more precision: floats against double on
// a stride through all of them, doubles against long double at random points.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "jit/compiled.h"
#include "loop/builder.h"

namespace nfx {
namespace {

using Wide = long double;

struct Function {
  ExprOp op;
  Wide (*reference)(Wide);
  double limit_float;   // ulp
  double limit_double;  // ulp
};

Wide sigmoid(Wide x) { return 1 / (1 + std::exp(-x)); }

const Function kFunctions[] = {
    {ExprOp::kExp, [](Wide x) { return std::exp(x); }, 1.0, 1.0},
    {ExprOp::kExp2, [](Wide x) { return std::exp2(x); }, 1.0, 1.0},
    {ExprOp::kExpm1, [](Wide x) { return std::expm1(x); }, 1.7, 2.2},
    {ExprOp::kLog, [](Wide x) { return std::log(x); }, 1.0, 1.0},
    {ExprOp::kLog2, [](Wide x) { return std::log2(x); }, 1.0, 2.0},
    {ExprOp::kLog10, [](Wide x) { return std::log10(x); }, 1.0, 2.0},
    {ExprOp::kLog1p, [](Wide x) { return std::log1p(x); }, 1.5, 1.5},
    {ExprOp::kSin, [](Wide x) { return std::sin(x); }, 1.0, 1.0},
    {ExprOp::kCos, [](Wide x) { return std::cos(x); }, 1.0, 1.0},
    {ExprOp::kTan, [](Wide x) { return std::tan(x); }, 1.0, 2.3},
    {ExprOp::kTanh, [](Wide x) { return std::tanh(x); }, 1.5, 2.5},
    {ExprOp::kSinh, [](Wide x) { return std::sinh(x); }, 0.6, 4.0},
    {ExprOp::kCosh, [](Wide x) { return std::cosh(x); }, 0.6, 3.0},
    {ExprOp::kAsinh, [](Wide x) { return std::asinh(x); }, 0.6, 4.0},
    {ExprOp::kAcosh, [](Wide x) { return std::acosh(x); }, 0.6, 4.0},
    {ExprOp::kAtanh, [](Wide x) { return std::atanh(x); }, 0.6, 4.0},
    {ExprOp::kErf, [](Wide x) { return std::erf(x); }, 1.5, 1.5},
    {ExprOp::kSigmoid, sigmoid, 2.1, 2.3},
};

Kernel unary_kernel(ExprOp op, Dtype dtype) {
  KernelBuilder k(std::string(name(op)));
  const Extent size = k.size();
  const BufferId in = k.buffer(dtype, BufferUse::kIn);
  const BufferId out = k.buffer(dtype, BufferUse::kOut);
  const DimId i = k.dense(size, "i");
  k.rows({i});
  k.stage({}, {});
  k.store(out, k.index(i), unary(op, k.load(in, k.index(i))));
  return std::move(k).take();
}

template <class T>
std::vector<T> evaluate_compiled(ExprOp op, std::vector<T>& x) {
  const Kernel kernel = unary_kernel(op, sizeof(T) == 4 ? Dtype::kFloat32 : Dtype::kFloat64);
  const auto code = compiled(kernel);
  std::vector<T> y(x.size());
  void* buffers[] = {x.data(), y.data()};
  const auto count = static_cast<int64_t>(x.size());
  code->run(buffers, &count, 0, work_items(kernel, code->schedule, &count));
  return y;
}

// Distance in units of the last place of the exact result; 0 for equal specials.
template <class T>
double error_in_ulp(T got, Wide want) {
  const auto rounded = static_cast<T>(want);
  if (std::isnan(rounded) && std::isnan(got)) return 0;
  if (got == rounded)
    return std::isinf(got) ? 0
                           : static_cast<double>(
                                 std::fabs(want - Wide{got}) /
                                 std::max<Wide>(std::nextafter(std::fabs(rounded), T(HUGE_VAL)) -
                                                    std::fabs(rounded),
                                                std::numeric_limits<T>::denorm_min()));
  if (!std::isfinite(rounded) || !std::isfinite(got)) return 1e9;
  const T magnitude = std::fabs(rounded);
  const T ulp = std::nextafter(magnitude, T(HUGE_VAL)) - magnitude;
  if (!std::isfinite(ulp)) return got == rounded ? 0 : 1;
  return static_cast<double>(std::fabs(want - Wide{got}) / Wide{ulp});
}

class Accuracy : public ::testing::TestWithParam<Function> {};

TEST_P(Accuracy, Float) {
  const Function& function = GetParam();
  std::vector<float> x;
  constexpr uint64_t kStride = 4099;  // a prime: all mantissas and exponents come by
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += kStride) {
    x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  const std::vector<float> y = evaluate_compiled(function.op, x);
  double worst = 0;
  float at = 0;
  for (size_t k = 0; k < x.size(); ++k) {
    // The argument of a periodic function is a double exactly.
    const double error = error_in_ulp(y[k], function.reference(Wide{x[k]}));
    if (error > worst) worst = error, at = x[k];
  }
  RecordProperty("worst_ulp", std::to_string(worst));
  EXPECT_LE(worst, function.limit_float) << "at " << at;
}

TEST_P(Accuracy, Double) {
  const Function& function = GetParam();
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> exponent(-40, 10);
  std::uniform_real_distribution<double> near(-40, 40);
  std::vector<double> x;
  for (int k = 0; k < 200000; ++k) {
    const double sign = (engine() & 1) != 0 ? 1 : -1;
    x.push_back(sign * std::exp2(exponent(engine)));
    x.push_back(near(engine));
    x.push_back(1 + near(engine) / 100);
  }
  const std::vector<double> y = evaluate_compiled(function.op, x);
  double worst = 0;
  double at = 0;
  for (size_t k = 0; k < x.size(); ++k) {
    const double error = error_in_ulp(y[k], function.reference(Wide{x[k]}));
    if (error > worst) worst = error, at = x[k];
  }
  RecordProperty("worst_ulp", std::to_string(worst));
  EXPECT_LE(worst, function.limit_double) << "at " << at;
}

INSTANTIATE_TEST_SUITE_P(All, Accuracy, ::testing::ValuesIn(kFunctions),
                         [](const auto& each) { return std::string(name(each.param.op)); });

}  // namespace
}  // namespace nfx
