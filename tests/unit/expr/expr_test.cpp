#include "expr/expr.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "expr/evaluate.h"
#include "expr/expr_math.h"
#include "expr/expr_text.h"

namespace nfx {
namespace {

struct ExprTest : testing::Test {
  Expr leaf(ExprOp op, Dtype dtype, uint64_t payload) {
    return {&pool, pool.leaf(op, dtype, payload)};
  }
  std::string text(Expr expr) { return print(pool, expr.id); }

  ExprPool pool;
  Expr i = leaf(ExprOp::kIndex, Dtype::kInt64, 0);
  Expr j = leaf(ExprOp::kIndex, Dtype::kInt64, 1);
  Expr s = leaf(ExprOp::kScalar, Dtype::kInt64, 0);
  Expr x = leaf(ExprOp::kParam, Dtype::kFloat32, 0);
  Expr d = leaf(ExprOp::kParam, Dtype::kFloat64, 1);
  Expr p = leaf(ExprOp::kParam, Dtype::kBool, 2);
};

TEST_F(ExprTest, EqualExpressionsAreOneNode) {
  EXPECT_EQ((exp(x) + 1).id, (exp(x) + 1).id);
  EXPECT_NE((exp(x) + 1).id, (exp(x) + 2).id);
  EXPECT_NE((x - 1).id, (1 - x).id);
  std::vector<ExprId> first;
  for (int k = 0; k < 1000; ++k) first.push_back((exp(x) * k).id);
  const size_t size = pool.size();
  for (int k = 0; k < 1000; ++k) EXPECT_EQ((exp(x) * k).id, first[static_cast<size_t>(k)]);
  EXPECT_EQ(pool.size(), size);
}

TEST_F(ExprTest, OperandsPrecedeUsers) {
  const Expr y = select(x > 0, x, exp(x) - 1) * sigmoid(x);
  for (ExprId id = 0; id < pool.size(); ++id) {
    for_each_operand(pool[id], [&](ExprId operand) { EXPECT_LT(operand, id); });
  }
  std::vector<bool> seen;
  std::vector<ExprId> order;
  append_post_order(pool, y.id, seen, order);
  EXPECT_EQ(order.back(), y.id);
  append_post_order(pool, y.id, seen, order);
  EXPECT_EQ(order.size(), 9u);
}

TEST_F(ExprTest, IndexArithmeticComesOutSmall) {
  EXPECT_EQ((i * 1).id, i.id);
  EXPECT_EQ((i + 0).id, i.id);
  EXPECT_EQ(text(s * 0), "0");
  EXPECT_EQ(text(0 * s + i * 1), "d0");
  EXPECT_EQ(text((i + 2) + 3), "d0 + 5");
  EXPECT_EQ(text((i + 2) * 4 + 3), "d0*4 + 11");
  EXPECT_EQ(text((i + 2) + (j + 3)), "d0 + d1 + 5");
  EXPECT_EQ(text((2 + i) - 2), "d0");
  EXPECT_EQ(text(i * 3 * 4), "d0*12");
  EXPECT_EQ(text(i - i), "0");
  EXPECT_EQ(text(floordiv(i, 1)), "d0");
  EXPECT_EQ(text(remainder(i, 1)), "0");
  EXPECT_EQ(text(floordiv(i, 4)), "floordiv(d0, 4)");
  EXPECT_EQ(text(i * s + j), "d0*s0 + d1");
  EXPECT_EQ(text(i * (s + j)), "d0*(s0 + d1)");
  EXPECT_EQ(text(i == i), "true");
}

TEST_F(ExprTest, FloatsKeepSignedZerosAndNan) {
  EXPECT_EQ((x * 1).id, x.id);
  EXPECT_EQ((x - 0.0).id, x.id);
  EXPECT_EQ((x + -0.0).id, x.id);
  EXPECT_EQ((-(-x)).id, x.id);
  EXPECT_NE((x + 0.0).id, x.id);
  EXPECT_NE((x - -0.0).id, x.id);
  EXPECT_NE((0.0 - x).id, (-x).id);
  EXPECT_EQ(text(x * 0), "param0*0.0f");
  EXPECT_EQ(text(x - x), "param0 - param0");
  EXPECT_EQ(text(x == x), "eq(param0, param0)");
  EXPECT_EQ(text((x + 1) + 2), "param0 + 1.0f + 2.0f");
}

TEST_F(ExprTest, ConstantsFoldOnlyWhereExact) {
  const Expr two = literal(pool, Dtype::kFloat32, 2);
  EXPECT_EQ(text(two * 3 + 0.5), "6.5f");
  EXPECT_EQ(text(cast(two / 3, Dtype::kFloat64)), "0.6666666865348816");
  EXPECT_EQ(text(exp(two)), "exp(2.0f)");
  EXPECT_EQ(text(cast(literal(pool, Dtype::kInt64, 300), Dtype::kUInt8)), "44:uint8");
  EXPECT_EQ(text(select(two > 1, x, -x)), "param0");
}

TEST_F(ExprTest, LogicAndSelect) {
  const Expr yes = literal(pool, Dtype::kBool, 1);
  const Expr no = literal(pool, Dtype::kBool, 0);
  EXPECT_EQ((p & yes).id, p.id);
  EXPECT_EQ((no | p).id, p.id);
  EXPECT_EQ((p & no).id, no.id);
  EXPECT_EQ((!!p).id, p.id);
  EXPECT_EQ(select(p, x, x).id, x.id);
  EXPECT_EQ(pool.load(0, Dtype::kFloat32, i.id, yes.id), pool.load(0, Dtype::kFloat32, i.id));
}

TEST_F(ExprTest, TextOfConstantsIsExact) {
  EXPECT_EQ(text(literal(pool, Dtype::kFloat64, 0.1)), "0.1");
  EXPECT_EQ(text(literal(pool, Dtype::kFloat32, 0.1)), "0.1f");
  EXPECT_EQ(text(literal(pool, Dtype::kFloat32, -0.0)), "-0.0f");
  EXPECT_EQ(text(literal(pool, Dtype::kFloat64, 1e300)), "1e+300");
  EXPECT_EQ(text(literal(pool, Dtype::kFloat32, INFINITY)), "inf:float32");
  EXPECT_EQ(text(literal(pool, Dtype::kFloat64, std::numeric_limits<double>::quiet_NaN())), "nan");
  EXPECT_EQ(text(literal(pool, Dtype::kFloat64, -std::numeric_limits<double>::quiet_NaN())),
            "nan(0xfff8000000000000)");
  EXPECT_EQ(text(literal(pool, Dtype::kFloat16, 0.1)), "0.099975586:float16");
  EXPECT_EQ(text(literal(pool, Dtype::kInt32, -7)), "-7:int32");
  EXPECT_EQ(text({&pool, pool.load(3, Dtype::kFloat32, (i * s).id, p.id)}),
            "load b3[d0*s0 if param2]");
}

// Every simplification, on values with corners: the pool's result against
// node-by-node evaluation.
double evaluate_at(const ExprPool& pool, ExprId id, double param) {
  const ExprNode& node = pool[id];
  if (node.op == ExprOp::kConst) return as_double(constant_value(node));
  if (node.op == ExprOp::kParam) return round_to(node.dtype, param);
  Value operands[3];
  for (int k = 0; k < arity(node.op); ++k) {
    const Dtype dtype = pool[node.operands[k]].dtype;
    const double value = evaluate_at(pool, node.operands[k], param);
    operands[k] = is_floating(dtype) ? make_value(dtype, value)
                                     : make_value(dtype, static_cast<int64_t>(value));
  }
  return as_double(evaluate(node, operands));
}

TEST_F(ExprTest, SimplificationKeepsEveryValue) {
  const double corners[] = {0.0, -0.0, 1.0, -1.5, INFINITY, -INFINITY, NAN, 1e-310, 1.7e308};
  const double zero_and_one[] = {0.0, -0.0, 1.0, -1.0};
  for (ExprOp op : {ExprOp::kAdd, ExprOp::kSub, ExprOp::kMul, ExprOp::kDiv, ExprOp::kMin,
                    ExprOp::kMax, ExprOp::kEq, ExprOp::kLe}) {
    for (double c : zero_and_one) {
      for (double v : corners) {
        const Expr constant = literal(d, c);
        for (bool swap : {false, true}) {
          const Expr result = swap ? binary(op, constant, d) : binary(op, d, constant);
          const Value a = make_value(Dtype::kFloat64, swap ? c : v);
          const Value b = make_value(Dtype::kFloat64, swap ? v : c);
          const Value want = make_value(Dtype::kFloat64, as_double(evaluate_binary(op, a, b)));
          const Value got = make_value(Dtype::kFloat64, evaluate_at(pool, result.id, v));
          EXPECT_TRUE(same(want, got)) << name(op) << " " << v << " with " << c << " swap " << swap;
        }
      }
    }
  }
}

}  // namespace
}  // namespace nfx
