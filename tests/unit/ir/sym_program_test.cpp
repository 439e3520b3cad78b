#include "ir/sym_program.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <random>

#include "ir/context.h"

namespace nfx {
namespace {

TEST(SymProgram, ComputesSizesFromInputs) {
  Context context;
  SymExprId s0 = sym_symbol(context, "s0"), s1 = sym_symbol(context, "s1");
  std::array inputs{s0, s1};
  std::array outputs{parse_sym(context, "s0*s1 + 7"), s1, parse_sym(context, "Max(s0, s1)//2"),
                     parse_sym(context, "IntTrueDiv(s0, 4)"), parse_sym(context, "12")};
  auto program = SymProgram::compile(context, inputs, outputs);
  ASSERT_TRUE(program);
  std::array<int64_t, 2> values{6, 9};
  std::array<int64_t, 5> results{};
  ASSERT_TRUE(program->run(values, results));
  EXPECT_EQ(results[0], 61);
  EXPECT_EQ(results[1], 9);
  EXPECT_EQ(results[2], 4);
  EXPECT_EQ(std::bit_cast<double>(results[3]), 1.5);
  EXPECT_EQ(results[4], 12);
}

TEST(SymProgram, TakesExpressionsAsInputs) {
  Context context;
  SymExprId size = parse_sym(context, "u0*u1");
  std::array outputs{parse_sym(context, "2*(u0*u1//4)")};
  auto program = SymProgram::compile(context, std::array{size}, outputs);
  ASSERT_TRUE(program);
  int64_t value = 22, result = 0;
  ASSERT_TRUE(program->run({&value, 1}, {&result, 1}));
  EXPECT_EQ(result, 10);
}

TEST(SymProgram, SaysWhichSymbolIsMissing) {
  Context context;
  auto program = SymProgram::compile(context, {}, std::array{parse_sym(context, "s3 + 1")});
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, "unbound-symbol");
  EXPECT_EQ(program.error().message, "no input gives `s3` of `s3 + 1`");
}

TEST(SymProgram, FailsOnDivisionByZeroOnlyWhereItCounts) {
  Context context;
  SymExprId u0 = sym_symbol(context, "u0");
  std::array divided{parse_sym(context, "12//u0")};
  std::array guarded{parse_sym(context, "Where(Eq(u0, 0), -1, 12//u0)")};
  int64_t zero = 0, result = 5;
  auto plain = SymProgram::compile(context, std::array{u0}, divided);
  auto safe = SymProgram::compile(context, std::array{u0}, guarded);
  ASSERT_TRUE(plain && safe);
  EXPECT_FALSE(plain->run({&zero, 1}, {&result, 1}));
  EXPECT_EQ(result, 5);
  EXPECT_TRUE(safe->run({&zero, 1}, {&result, 1}));
  EXPECT_EQ(result, -1);
}

// A random expression as a tree that is evaluated as it stands, beside the
// simplified expression that the same operations make.
class RandomSym {
 public:
  RandomSym(Context& context, unsigned seed) : context_(context), random_(seed) {
    for (int i = 0; i < 3; ++i) {
      int64_t lower = pick(-6, 3), upper = lower + pick(0, 12);
      symbols.push_back(sym_symbol(context, "t" + std::to_string(i)));
      set_symbol_range(context, symbols.back(), {lower, upper});
      values.push_back(SymValue::of_int(pick(lower, upper)));
    }
  }

  struct Made {
    SymExprId expr;
    std::optional<SymValue> value;  // nothing: undefined
  };

  Made make(int depth) {
    if (depth == 0) {
      if (pick(0, 2) == 0) {
        int64_t v = pick(-5, 8);
        return {sym_int(context_, v), SymValue::of_int(v)};
      }
      auto i = static_cast<size_t>(pick(0, 2));
      return {symbols[i], values[i]};
    }
    static constexpr SymOp kOps[] = {SymOp::kAdd, SymOp::kAdd,     SymOp::kMul, SymOp::kFloorDiv,
                                     SymOp::kMod, SymOp::kCeilDiv, SymOp::kMax, SymOp::kMin};
    SymOp op = kOps[pick(0, 7)];
    Made a = make(static_cast<int>(pick(0, depth - 1))), b = make(depth - 1);
    if (pick(0, 7) == 0) return where(a, b);
    Made made{sym(context_, op, std::array{a.expr, b.expr}), std::nullopt};
    if (a.value && b.value)
      made.value = apply_sym(op, SymKind::kInt, std::array{*a.value, *b.value});
    return made;
  }

  std::vector<SymExprId> symbols;
  std::vector<SymValue> values;

 private:
  Made where(const Made& a, const Made& b) {
    static constexpr SymOp kRelations[] = {SymOp::kEq, SymOp::kNe, SymOp::kLt, SymOp::kLe};
    SymOp relation = kRelations[pick(0, 3)];
    SymExprId condition = sym(context_, relation, std::array{a.expr, b.expr});
    Made made{sym(context_, SymOp::kWhere, std::array{condition, a.expr, b.expr}), std::nullopt};
    if (!a.value || !b.value) return made;
    auto chosen = apply_sym(relation, SymKind::kBool, std::array{*a.value, *b.value});
    made.value = chosen->truth() ? a.value : b.value;
    return made;
  }

  int64_t pick(int64_t lower, int64_t upper) {
    return std::uniform_int_distribution<int64_t>(lower, upper)(random_);
  }
  Context& context_;
  std::mt19937 random_;
};

TEST(SymProgram, SimplifiedExpressionsKeepTheirValue) {
  int defined = 0;
  for (unsigned seed = 0; seed < 20000; ++seed) {
    Context context;
    RandomSym random(context, seed);
    RandomSym::Made made = random.make(5);
    if (!made.value) continue;
    ++defined;
    auto value = evaluate_sym(context, made.expr, random.symbols, random.values);
    ASSERT_TRUE(value) << "seed " << seed << ": " << print_sym(context, made.expr);
    ASSERT_EQ(value->integer, made.value->integer)
        << "seed " << seed << ": " << print_sym(context, made.expr);
    SymRange range = range_of(context, made.expr);
    ASSERT_LE(range.lower, value->integer) << "seed " << seed;
    ASSERT_GE(range.upper, value->integer) << "seed " << seed;
    std::string printed = print_sym(context, made.expr);
    SymExprId again = parse_sym(context, printed);
    auto reread = evaluate_sym(context, again, random.symbols, random.values);
    ASSERT_TRUE(reread && reread->integer == value->integer) << "seed " << seed << ": " << printed;
  }
  EXPECT_GT(defined, 10000);
}

}  // namespace
}  // namespace nfx
