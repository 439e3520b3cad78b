// Functions with special cases: the values at and around them.
#include <cmath>

#include "ops/op_case.h"

namespace nfx::testing {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

class SpecialFunctions : public OpCase {
 protected:
  Numbers unary(std::string_view op, const Numbers& at) { return numbers(call(op, {doubles(at)})); }
  Numbers binary(std::string_view op, const Numbers& x, const Numbers& y) {
    return numbers(call(op, {doubles(x), doubles(y)}));
  }
  Node doubles(const Numbers& at) {
    return input(Dtype::kFloat64, {static_cast<int64_t>(at.size())}, at);
  }
  static void expect_near(const Numbers& got, const Numbers& expected, double relative = 1e-12) {
    ASSERT_EQ(got.size(), expected.size());
    for (size_t k = 0; k < got.size(); ++k) {
      if (std::isnan(expected[k])) {
        EXPECT_TRUE(std::isnan(got[k])) << k;
      } else if (std::isinf(expected[k])) {
        EXPECT_EQ(got[k], expected[k]) << k;
      } else {
        EXPECT_NEAR(got[k], expected[k], relative * std::max(1.0, std::abs(expected[k]))) << k;
      }
    }
  }
};

TEST_F(SpecialFunctions, DigammaKnowsItsPoles) {
  const double gamma = 0.57721566490153286061;
  expect_near(unary("digamma.default", {1, 0.5, 2, 100}),
              {-gamma, -gamma - 2 * std::log(2.0), 1 - gamma, 4.600161852738087400});
  expect_near(unary("digamma.default", {-0.5, 0.0, -0.0, -3, kNan}),
              {0.03648997397857652056, -kInf, kInf, kNan, kNan});
}

TEST_F(SpecialFunctions, InverseErrorFunctionUndoesIt) {
  for (const double x : {-3.0, -1.0, -1e-9, 0.0, 0.25, 0.7, 2.0}) {
    expect_near(unary("erfinv.default", {std::erf(x)}), {x}, 1e-9);
  }
  expect_near(unary("erfinv.default", {1, -1, 1.5, kNan}), {kInf, -kInf, kNan, kNan});
}

TEST_F(SpecialFunctions, LogarithmsYieldToZero) {
  expect_near(binary("xlogy.Tensor", {0, 0, 2, 0}, {0, kInf, 1, kNan}), {0, 0, 0, kNan});
  expect_near(binary("special_xlog1py.default", {0, 2}, {-1, 0}), {0, 0});
  expect_near(unary("special_entr.default", {0, 1, -1, kNan}), {0, 0, -kInf, kNan});
  expect_near(binary("logaddexp.default", {-kInf, kInf, 0, kNan}, {-kInf, kInf, 0, 0}),
              {-kInf, kInf, std::log(2.0), kNan});
  expect_near(binary("logaddexp2.default", {1}, {1}), {2});
}

TEST_F(SpecialFunctions, LogitAndItsSlope) {
  expect_near(unary("logit.default", {0.5, 0, 1, 2}), {0, -kInf, kInf, kNan});
  const Node x = doubles({0, 1, 0.5});
  expect_near(numbers(call("logit.default", {x, f(0.25)})), {-std::log(3.0), std::log(3.0), 0});
  expect_near(binary("logit_backward.default", {1, 1, 1}, {0.5, 0, 2}), {4, kInf, kNan});
}

TEST_F(SpecialFunctions, NumbersReplaceWhatIsNone) {
  expect_near(numbers(call("nan_to_num.default", {doubles({kNan, kInf, -kInf, 1}), f(7)})),
              {7, std::numeric_limits<double>::max(), -std::numeric_limits<double>::max(), 1});
  const Node narrow = input(Dtype::kFloat16, {1}, {kInf});
  EXPECT_EQ(numbers(call("nan_to_num.default", {narrow})), (Numbers{65504}));
}

TEST_F(SpecialFunctions, StepsAndSigns) {
  expect_near(binary("heaviside.default", {-1, 0, 2, kNan}, {5, 5, 5, 5}), {0, 5, 1, 0});
  EXPECT_EQ(unary("isposinf.default", {kInf, -kInf, kNan}), (Numbers{1, 0, 0}));
  EXPECT_EQ(unary("isneginf.default", {kInf, -kInf, kNan}), (Numbers{0, 1, 0}));
  expect_near(unary("sinc.default", {0, 1, 0.5}), {1, 0, 2 / std::acos(-1.0)});
  expect_near(unary("angle.default", {-1, 1, kNan}), {std::acos(-1.0), 0, kNan});
}

}  // namespace
}  // namespace nfx::testing
