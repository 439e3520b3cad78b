#include "ir/sym_expr.h"

#include <gtest/gtest.h>

#include <array>

#include "ir/context.h"

namespace nfx {
namespace {

class SymExprTest : public ::testing::Test {
 protected:
  SymExprId parse(std::string_view text) { return parse_sym(context, text); }
  std::string simplified(std::string_view text) { return print_sym(context, parse(text)); }
  SymExprId symbol(std::string_view name, int64_t lower, int64_t upper) {
    SymExprId id = sym_symbol(context, name);
    set_symbol_range(context, id, {lower, upper});
    return id;
  }
  Truth truth(SymOp op, std::string_view a, std::string_view b) {
    return compare(context, op, parse(a), parse(b));
  }

  Context context;
  SymExprId s0 = symbol("s0", 2, INT64_MAX);
  SymExprId s1 = symbol("s1", 1, 100);
  SymExprId s10 = symbol("s10", 0, 7);
};

TEST_F(SymExprTest, EqualExpressionsHaveEqualIds) {
  EXPECT_EQ(parse("s0 + s1"), parse("s1 + s0"));
  EXPECT_EQ(parse("2*s0 + 3*s1 - s0"), parse("3*s1 + s0"));
  EXPECT_EQ(parse("(s0 + 1)*(s1 - 2)"), parse("s0*s1 - 2*s0 + s1 - 2"));
  EXPECT_EQ(parse("s0**2"), parse("s0*s0"));
  EXPECT_EQ(parse("s0 - s0"), sym_int(context, 0));
  EXPECT_NE(parse("s0"), parse("s1"));
}

TEST_F(SymExprTest, TextDoesNotDependOnTheOrderOfCreation) {
  Context other;
  for (const char* name : {"s10", "s1", "s0"}) sym_symbol(other, name);
  const char* text = "s10*s1 + 2*s0 + s1 + s10 + 5";
  EXPECT_EQ(print_sym(other, parse_sym(other, text)), simplified(text));
  EXPECT_EQ(simplified(text), "2*s0 + s1 + s10 + s1*s10 + 5");
}

TEST_F(SymExprTest, PrintsAsPythonSpells) {
  EXPECT_EQ(simplified("1 + s0*2"), "2*s0 + 1");
  EXPECT_EQ(simplified("s0 - s1 - 3"), "s0 - s1 - 3");
  EXPECT_EQ(simplified("-s0*s0"), "-s0**2");
  EXPECT_EQ(simplified("FloorDiv(s0, 4)"), "s0//4");
  EXPECT_EQ(simplified("FloorDiv(s0 + s1, 4)*s0"), "s0*((s0 + s1)//4)");
  EXPECT_EQ(simplified("Mod(s0, 3)"), "s0%3");
  EXPECT_EQ(simplified("Max(s1, s0)"), "Max(s0, s1)");
  EXPECT_EQ(simplified("Eq(s0, 5)"), "s0 == 5");
  EXPECT_EQ(simplified("(s0 < 3) & (s1 >= 2)"), "(s0 < 3) & (2 <= s1)");
  EXPECT_EQ(simplified("IntTrueDiv(s0, 3)"), "IntTrueDiv(s0, 3)");
  EXPECT_EQ(simplified("TruncToInt(ToFloat(s0)*0.5)"), "TruncToInt(ToFloat(s0)*0.5)");
}

TEST_F(SymExprTest, PrintedTextParsesToTheSameExpression) {
  for (const char* text : {"2*s0 + 1",
                           "-(s0//3)%s1",
                           "s0**12",
                           "(s0 + 1)**9//(s1 + 1)",
                           "Max(1, s0 - 5, s1*s10)",
                           "Min(u0, s0)",
                           "Where(s0 < 3, u0, -s1)",
                           "~(zuf1 < 2.5)",
                           "Ne(s0, 7) | Eq(u0, 1)",
                           "FloatTrueDiv(ToFloat(s0), 3.0) + 1.0",
                           "zf0*-1.5",
                           "1e+30",
                           "-0.0",
                           "nan",
                           "-inf",
                           "sqrt(ToFloat(s0))",
                           "FloatPow(zf0, 0.5)",
                           "RoundToInt(zf0*2.0)",
                           "floor(zf0)",
                           "OpaqueUnaryFn_cos(s0) + 1",
                           "what(s0, 3)*s1",
                           "-9223372036854775808",
                           "s0 not an expr",
                           "CeilDiv(s0, u0)",
                           "Mod(u0, u1)",
                           "FloorDiv(s0, 0)",
                           "(zf0 - zf1) - zf2",
                           "zf0 - (zf1 - zf2)",
                           "s0/2",
                           ""}) {
    SymExprId id = parse(text);
    std::string printed = print_sym(context, id);
    EXPECT_EQ(parse(printed), id) << text << " prints as " << printed;
  }
}

TEST_F(SymExprTest, ReadsWhatSympyWrites) {
  EXPECT_EQ(parse("FloorDiv(s0, 2)"), parse("s0//2"));
  EXPECT_EQ(parse("PythonMod(s0, 3)"), parse("Mod(s0, 3)"));
  EXPECT_EQ(parse("s0 > 3"), parse("3 < s0"));
  EXPECT_EQ(parse("Ge(s0, s1)"), parse("s1 <= s0"));
  EXPECT_EQ(parse("Not(Eq(s0, 3))"), parse("Ne(s0, 3)"));
  EXPECT_EQ(parse("1 < u0 < 5"), parse("(1 < u0) & (u0 < 5)"));
  EXPECT_EQ(parse("u0 == 1 or u0 == 2"), parse("Eq(u0, 1) | Eq(u0, 2)"));
  EXPECT_EQ(parse("-2**2"), sym_int(context, -4));
  EXPECT_EQ(parse("2**3**2"), sym_int(context, 512));
  EXPECT_EQ(sym_node(context, parse("zuf1")).kind, SymKind::kFloat);
  EXPECT_EQ(sym_node(context, parse("u0")).kind, SymKind::kInt);
}

TEST_F(SymExprTest, WhatIsNotUnderstoodStaysWhole) {
  for (const char* text : {"L['x'].size()[0]", "s0 +", "s0/2", ")", "s0 & 3", "f(s0"}) {
    SymExprId id = parse(text);
    EXPECT_EQ(sym_node(context, id).op, SymOp::kOpaque) << text;
    EXPECT_EQ(print_sym(context, id), text);
  }
  EXPECT_EQ(simplified("Piecewise((s0, s0 < 2), (1, True)) - 1 + 1"),
            "Piecewise((s0, s0 < 2), (1, True))");
  std::string deep(100000, '(');
  EXPECT_EQ(sym_node(context, parse(deep)).op, SymOp::kOpaque);
}

TEST_F(SymExprTest, DivisionUsesRanges) {
  EXPECT_EQ(simplified("(6*s0 + 5)//3"), "2*s0 + 1");
  EXPECT_EQ(simplified("(4*s0 + s10)//4"), "s0 + s10//4");
  EXPECT_EQ(simplified("(8*s0 + s10)//8"), "s0");
  EXPECT_EQ(simplified("(s0*s1 + s1)//s1"), "s0 + 1");
  EXPECT_EQ(simplified("(s0*u0)//u0"), "(s0*u0)//u0") << "u0 may be zero";
  EXPECT_EQ(simplified("(2*s0 + 4)//6"), "(s0 + 2)//3");
  EXPECT_EQ(simplified("s0//2//3"), "s0//6");
  EXPECT_EQ(simplified("s10//8"), "0");
  EXPECT_EQ(simplified("(s0 + s1)//(s0 + s1)"), "1");
  EXPECT_EQ(simplified("CeilDiv(s0, 4)"), "(s0 + 3)//4");
  EXPECT_EQ(simplified("-7//2"), "-4");
}

TEST_F(SymExprTest, RemainderUsesRanges) {
  EXPECT_EQ(simplified("Mod(6*s0, 3)"), "0");
  EXPECT_EQ(simplified("Mod(6*s0 + 4, 3)"), "1");
  EXPECT_EQ(simplified("Mod(s0*s1, s1)"), "0");
  EXPECT_EQ(simplified("Mod(s10, 8)"), "s10");
  EXPECT_EQ(simplified("Mod(Mod(s0, 12), 4)"), "s0%4");
  EXPECT_EQ(simplified("Mod(2*s0, 6)"), "2*(s0%3)");
  EXPECT_EQ(simplified("-7 % 3"), "2");
  EXPECT_EQ(simplified("7 % -3"), "-2");
}

TEST_F(SymExprTest, QuotientAndRemainderJoin) {
  EXPECT_EQ(simplified("(s0//4)*4 + s0%4"), "s0");
  EXPECT_EQ(simplified("s1*(s0//s1) + Mod(s0, s1)"), "s0");
  EXPECT_EQ(simplified("3*((s0 + s1)//5)*5 + 3*((s0 + s1)%5) + 1"), "3*s0 + 3*s1 + 1");
}

TEST_F(SymExprTest, ExtremaUseRanges) {
  EXPECT_EQ(simplified("Max(1, s0)"), "s0");
  EXPECT_EQ(simplified("Max(s0, s0 + 1, s0 - 3)"), "s0 + 1");
  EXPECT_EQ(simplified("Min(s10, 50)"), "s10");
  EXPECT_EQ(simplified("Max(Max(s0, s1), s0)"), "Max(s0, s1)");
}

TEST_F(SymExprTest, ComparesWithRanges) {
  EXPECT_EQ(truth(SymOp::kLt, "s0", "s0 + 1"), Truth::kYes);
  EXPECT_EQ(truth(SymOp::kEq, "s0", "1"), Truth::kNo);
  EXPECT_EQ(truth(SymOp::kEq, "s0", "2"), Truth::kUnknown);
  EXPECT_EQ(truth(SymOp::kLe, "s10", "7"), Truth::kYes);
  EXPECT_EQ(truth(SymOp::kLt, "s1", "1"), Truth::kNo);
  EXPECT_EQ(truth(SymOp::kNe, "2*u0", "7"), Truth::kYes);
  EXPECT_EQ(truth(SymOp::kLe, "u0", "Max(u0, u1)"), Truth::kYes);
  EXPECT_EQ(truth(SymOp::kEq, "u0*u1", "u1*u0"), Truth::kYes);
  EXPECT_EQ(truth(SymOp::kEq, "zf0", "zf0"), Truth::kUnknown) << "a NaN is not itself";
  EXPECT_EQ(parse("s0 + 1 < s1 + 1"), parse("s0 < s1"));
  EXPECT_EQ(parse("Eq(2*u0, 2*u1)"), parse("Eq(u1, u0)"));
}

TEST_F(SymExprTest, OverflowAndDivisionByZeroStayUnsimplified) {
  EXPECT_FALSE(as_int(context, parse("9223372036854775807 + 1")));
  EXPECT_FALSE(as_int(context, parse("9223372036854775807 * 2")));
  EXPECT_FALSE(as_int(context, parse("-9223372036854775808 // -1")));
  EXPECT_FALSE(as_int(context, parse("s0 // 0")));
  EXPECT_FALSE(as_int(context, parse("5 % 0")));
  EXPECT_FALSE(as_int(context, parse("10**40")));
  EXPECT_FALSE(evaluate_hint(context, parse("5 // 0")));
  SymRange range = range_of(context, parse("9223372036854775807 * s0"));
  EXPECT_EQ(range.upper, INT64_MAX);
}

TEST_F(SymExprTest, SymbolFactsReachExpressionsMadeBefore) {
  SymExprId twice = parse("2*u5 + 1");
  EXPECT_EQ(range_of(context, twice), SymRange{});
  set_symbol_range(context, parse("u5"), {3, 5});
  EXPECT_EQ(range_of(context, twice), (SymRange{7, 11}));
  EXPECT_FALSE(evaluate_hint(context, twice));
  set_symbol_hint(context, parse("u5"), 4);
  EXPECT_EQ(evaluate_hint(context, twice), 9);
  EXPECT_EQ(symbol_facts(context, parse("u5")).hint, 4);
}

TEST_F(SymExprTest, GrowthIsBounded) {
  SymExprId product = parse("u1 + u2 + u3 + u4 + 1");
  for (int i = 0; i < 20; ++i) product = sym_mul(context, product, product);
  SymExprId sum = s0;
  for (int i = 0; i < 200; ++i)
    sum = sym_floordiv(context, sym_add(context, sum, sum), parse("u7"));
  EXPECT_TRUE(product && sum);
}

}  // namespace
}  // namespace nfx
