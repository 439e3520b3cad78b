#include "compiler/number_table.h"

#include <gtest/gtest.h>

namespace nfx {
namespace {

class NumberTableTest : public testing::Test {
 protected:
  // The numbers of a run where phase `phase` has run.
  std::vector<int64_t> run(std::vector<int64_t> numbers, uint32_t phase) {
    const Result<NumberProgram> program = table_.program(phase);
    EXPECT_TRUE(program) << program.error().str();
    std::vector<int64_t> scratch;
    EXPECT_TRUE(program->run(numbers, scratch));
    return numbers;
  }

  Context context_;
  NumberTable table_{context_};
};

TEST_F(NumberTableTest, ConstantsNeedNoProgram) {
  const NumberId seven = table_.number(sym_int(context_, 7));
  EXPECT_EQ(seven, table_.constant(7));
  EXPECT_EQ(table_.values()[seven], 7);
  EXPECT_TRUE(table_.program(0)->outputs.empty());
}

TEST_F(NumberTableTest, ShapeIsARowOfNumbers) {
  const SymExprId s = sym_symbol(context_, "s0");
  const NumberId symbol = table_.define(s);
  const SymExprId sizes[] = {s, sym_int(context_, 4)};
  const SymExprId strides[] = {sym_int(context_, 4), sym_int(context_, 1)};
  const NumberId shape = table_.shape(sizes, strides);
  std::vector<int64_t> numbers = table_.values();
  numbers[symbol] = 9;
  numbers = run(numbers, 0);
  EXPECT_EQ(numbers[shape], 9);
  EXPECT_EQ(numbers[shape + 1], 4);
  EXPECT_EQ(numbers[shape + 2], 4);
  EXPECT_EQ(numbers[shape + 3], 1);
}

TEST_F(NumberTableTest, ExpressionBelongsToThePhaseOfItsLastSymbol) {
  const SymExprId s = sym_symbol(context_, "s0");
  const SymExprId u = sym_symbol(context_, "u0");
  const NumberId first = table_.define(s);
  const SymExprId product = sym_mul(context_, s, u);
  EXPECT_FALSE(table_.is_known(product));
  table_.next_phase();
  const NumberId second = table_.define(u);
  EXPECT_TRUE(table_.is_known(product));
  EXPECT_EQ(table_.phase_of(product), 1u);
  const NumberId result = table_.number(product);
  std::vector<int64_t> numbers = table_.values();
  numbers[first] = 3;
  numbers[second] = 5;
  EXPECT_EQ(run(numbers, 0)[result], 0);
  EXPECT_EQ(run(numbers, 1)[result], 15);
}

TEST_F(NumberTableTest, DefinesASymbolOnce) {
  const SymExprId s = sym_symbol(context_, "s0");
  EXPECT_NE(table_.define(s), kNoIndex);
  EXPECT_EQ(table_.define(s), kNoIndex);
  EXPECT_EQ(table_.define(sym_mul(context_, s, sym_int(context_, 2))), kNoIndex);
  EXPECT_EQ(table_.define(sym_int(context_, 3)), kNoIndex);
}

TEST_F(NumberTableTest, UnknownSymbolIsAnError) {
  table_.number(sym_symbol(context_, "nowhere"));
  const Result<NumberProgram> program = table_.program(0);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, "unbound-symbol");
}

}  // namespace
}  // namespace nfx
