#include "loop/strides.h"

#include <gtest/gtest.h>

#include "loop/builder.h"
#include "loop/kernels.h"

namespace nfx {
namespace {

using Kind = LinearTerm::Kind;

struct StridesTest : testing::Test {
  LinearTerm along(Expr expr, DimId dim) { return Strides(k.kernel(), dim)[expr.id]; }

  KernelBuilder k{"strides"};
  Extent n = k.size();
  BufferId in = k.buffer(Dtype::kInt64, BufferUse::kIn);
  DimId row = k.dense(n);
  DimId column = k.dense(16);
  Expr i = k.index(row);
  Expr j = k.index(column);
  Expr s = k.value(n);
};

const LinearTerm kUniform = {};
const LinearTerm kOther = {Kind::kOther, 0, -1};

LinearTerm linear(int64_t multiplier, int32_t scalar = -1) {
  return {Kind::kLinear, multiplier, scalar};
}

TEST_F(StridesTest, SumsAndProducts) {
  EXPECT_EQ(along(i * 16 + j, row), linear(16));
  EXPECT_EQ(along(i * 16 + j, column), linear(1));
  EXPECT_TRUE(along(i * 16 + j, column).is_contiguous());
  EXPECT_EQ(along(i * s + j, row), linear(1, 0));
  EXPECT_FALSE(along(i * s + j, row).is_contiguous());
  EXPECT_EQ(along(s * i * 3, row), linear(3, 0));
  EXPECT_EQ(along(i * 3 - i, row), linear(2));
  EXPECT_EQ(along(j * 2 - i, row), linear(-1));
  EXPECT_EQ(along((i + j) - (i + 5), row), kUniform);
  EXPECT_EQ(along(s * 7 + j, row), kUniform);
}

TEST_F(StridesTest, WhatIsNotLinear) {
  EXPECT_EQ(along(i * i, row), kOther);
  EXPECT_EQ(along(i * s + i, row), kOther);
  EXPECT_EQ(along(i * s * s, row), kOther);
  EXPECT_EQ(along(floordiv(i, 4), row), kOther);
  EXPECT_EQ(along(floordiv(j, 4), row), kUniform);
  EXPECT_EQ(along(remainder(i + j, 4), column), kOther);
  EXPECT_EQ(along(i < j, row), kOther);
}

TEST_F(StridesTest, Gathers) {
  const Expr index = k.load(in, i);
  EXPECT_EQ(along(index * 16 + j, row), kOther);
  EXPECT_EQ(along(index * 16 + j, column), linear(1));
  EXPECT_EQ(along(k.load(in, j * s), row), kUniform);
  EXPECT_EQ(along(k.load(in, j, i < 3), row), kOther);
}

TEST_F(StridesTest, ReductionsVaryWithTheRowsTheyFold) {
  k.rows({row, column});
  const DimId inner = k.dense(4);
  k.stage({}, {inner});
  const Expr by_row = k.reduce(reduce_sum(k.load(in, i * 4 + k.index(inner))));
  k.stage({}, {inner});
  const Expr through = k.reduce(reduce_max(k.load(in, k.index(inner)) - by_row));
  EXPECT_EQ(along(by_row, row), kOther);
  EXPECT_EQ(along(by_row, column), kUniform);
  EXPECT_EQ(along(through, row), kOther);
  EXPECT_EQ(along(through, column), kUniform);
  EXPECT_EQ(along(through, inner), kUniform);
}

TEST(Strides, SegmentsVaryWithTheirParent) {
  KernelBuilder k("degree");
  const BufferId offsets = k.buffer(Dtype::kInt64, BufferUse::kIn);
  const DimId i = k.dense(k.size());
  const DimId f = k.dense(k.size());
  const DimId e = k.ragged(i, offsets);
  k.rows({i, f});
  k.stage({}, {e});
  const Expr degree = k.reduce(reduce_sum(k.constant(Dtype::kInt64, 1)));
  EXPECT_EQ(Strides(k.kernel(), i)[degree.id], kOther);
  EXPECT_EQ(Strides(k.kernel(), f)[degree.id], kUniform);
}

}  // namespace
}  // namespace nfx
