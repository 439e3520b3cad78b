#include "loop/verify.h"

#include <gtest/gtest.h>

#include <functional>

#include "expr/expr_math.h"
#include "loop/builder.h"
#include "loop/kernels.h"

namespace nfx {
namespace {

// A row softmax by hand, then one thing wrong with it.
Kernel softmax() { return std::move(*parse_kernel(testing_kernels::kSoftmax)); }

struct Fault {
  const char* code;
  const char* what;
  std::function<void(Kernel&)> make;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.code << ": " << fault.what; }

class LoopVerify : public testing::TestWithParam<Fault> {};

TEST(LoopVerify, AcceptsTheKernelsOfOtherTests) {
  const Status status = verify(softmax());
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().str());
  EXPECT_TRUE(verify(Kernel{}).ok());
}

TEST_P(LoopVerify, Reports) {
  Kernel kernel = softmax();
  GetParam().make(kernel);
  const Status status = verify(kernel);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, GetParam().code) << status.error().str();
  EXPECT_NE(status.error().message.find(GetParam().what), std::string::npos)
      << status.error().message;
  EXPECT_FALSE(status.error().help.empty());
}

Expr leaf(Kernel& k, ExprOp op, Dtype dtype, uint64_t payload) {
  return {&k.exprs, k.exprs.leaf(op, dtype, payload)};
}
Expr index(Kernel& k, DimId dim) { return leaf(k, ExprOp::kIndex, Dtype::kInt64, dim); }
Expr load(Kernel& k, uint32_t buffer, Dtype dtype, Expr offset) {
  return {&k.exprs, k.exprs.load(buffer, dtype, offset.id)};
}

// Makes `value` what the last store writes; its dtype may be wrong too.
void put(Kernel& k, Expr value) { k.stages[2].stores[0].value = value.id; }

Expr raw(Kernel& k, ExprOp op, Dtype dtype, Expr x, Expr y) {
  return {&k.exprs, k.exprs.add({op, dtype, {x.id, y.id, kNoExpr}})};
}

Dim ragged(DimId parent, BufferId offsets) {
  Dim dim;
  dim.kind = Dim::Kind::kRagged;
  dim.parent = parent;
  dim.offsets = offsets;
  return dim;
}

constexpr Dtype kFloat = Dtype::kFloat32;
constexpr Dtype kInt = Dtype::kInt64;

INSTANTIATE_TEST_SUITE_P(
    Structure, LoopVerify,
    testing::Values(
        Fault{"loop-parameter", "`b0`", [](Kernel& k) { k.buffers[0].dtype = Dtype::kComplex64; }},
        Fault{"loop-parameter", "`s1`", [](Kernel& k) { k.scalars[1] = kFloat; }},
        Fault{"loop-dimension", "negative", [](Kernel& k) { k.dims[1].extent = {-1, -1}; }},
        Fault{"loop-dimension", "no int64 scalar", [](Kernel& k) { k.dims[1].extent.scalar = 2; }},
        Fault{"loop-dimension", "parent", [](Kernel& k) { k.dims[1] = ragged(1, 0); }},
        Fault{"loop-dimension", "offsets", [](Kernel& k) { k.dims[1] = ragged(0, 0); }},
        Fault{"loop-dimension", "offsets",
              [](Kernel& k) {
                k.buffers.push_back({kInt, BufferUse::kInOut});
                k.dims[1] = ragged(0, 2);
              }},
        Fault{"loop-nest", "ragged", [](Kernel& k) { k.dims[0] = ragged(0, 0); }},
        Fault{"loop-nest", "does not exist", [](Kernel& k) { k.row_dims = {7}; }},
        Fault{"loop-nest", "twice", [](Kernel& k) { k.row_dims = {0, 0}; }},
        Fault{"loop-nest", "twice", [](Kernel& k) { k.stages[2].map_dims = {1, 0}; }},
        Fault{"loop-nest", "twice", [](Kernel& k) { k.stages[0].map_dims = {1}; }},
        Fault{"loop-monoid", "different lengths",
              [](Kernel& k) { k.stages[0].reductions[0].init.clear(); }},
        Fault{"loop-monoid", "different lengths",
              [](Kernel& k) {
                Reduction& r = k.stages[0].reductions[0];
                r.merge.push_back(r.merge[0]);
              }},
        Fault{"loop-monoid", "no result",
              [](Kernel& k) { k.stages[0].reductions[0].finish.clear(); }},
        Fault{"loop-monoid", "changes the dtype",
              [](Kernel& k) {
                k.stages[0].reductions[0].step = {k.exprs.constant(kInt, int64_t{0})};
              }},
        Fault{"loop-store", "does not exist", [](Kernel& k) { k.stages[2].stores[0].buffer = 9; }},
        Fault{"loop-store", "an input", [](Kernel& k) { k.stages[2].stores[0].buffer = 0; }},
        Fault{"loop-store", "another dtype", [](Kernel& k) { put(k, index(k, 0)); }},
        Fault{"loop-store", "offset",
              [](Kernel& k) { k.stages[2].stores[0].offset = k.stages[2].stores[0].value; }},
        Fault{"loop-store", "guard",
              [](Kernel& k) { k.stages[2].stores[0].guard = k.stages[2].stores[0].value; }}));

INSTANTIATE_TEST_SUITE_P(
    Expressions, LoopVerify,
    testing::Values(
        Fault{"loop-malformed-expression", "missing",
              [](Kernel& k) { k.stages[2].stores[0].value = kNoExpr; }},
        Fault{"loop-malformed-expression", "operand 1",
              [](Kernel& k) {
                put(k, {&k.exprs, k.exprs.add({ExprOp::kAdd, kFloat, {0, 1u << 30, kNoExpr}})});
              }},
        Fault{"loop-malformed-expression", "operand 2",
              [](Kernel& k) { put(k, {&k.exprs, k.exprs.add({ExprOp::kAdd, kInt, {0, 0, 0}})}); }},
        Fault{"loop-expression-type", "mixes dtypes",
              [](Kernel& k) {
                put(k,
                    raw(k, ExprOp::kAdd, kInt, index(k, 0), leaf(k, ExprOp::kReduced, kFloat, 0)));
              }},
        Fault{"loop-expression-type", "not defined on int64",
              [](Kernel& k) { put(k, exp(index(k, 0))); }},
        Fault{"loop-expression-type", "not defined on bool",
              [](Kernel& k) {
                const Expr p = index(k, 0) < index(k, 1);
                put(k, p + p);
              }},
        Fault{"loop-expression-type", "another dtype",
              [](Kernel& k) { put(k, raw(k, ExprOp::kLt, kInt, index(k, 0), index(k, 1))); }},
        Fault{"loop-expression-type", "condition",
              [](Kernel& k) {
                const ExprId i = index(k, 0).id;
                put(k, {&k.exprs, k.exprs.add({ExprOp::kSelect, kInt, {i, i, index(k, 1).id}})});
              }},
        Fault{"loop-expression-type", "buffer's dtype",
              [](Kernel& k) { put(k, load(k, 0, Dtype::kFloat64, index(k, 0))); }},
        Fault{"loop-expression-type", "no int64 offset",
              [](Kernel& k) { put(k, load(k, 0, kFloat, leaf(k, ExprOp::kReduced, kFloat, 0))); }},
        Fault{"loop-expression-type", "guard",
              [](Kernel& k) {
                const ExprId i = index(k, 0).id;
                put(k, {&k.exprs, k.exprs.load(0, kFloat, i, i)});
              }},
        Fault{"loop-expression-type", "not int64",
              [](Kernel& k) { put(k, leaf(k, ExprOp::kIndex, kFloat, 0)); }},
        Fault{"loop-expression-type", "scalar's dtype",
              [](Kernel& k) { put(k, leaf(k, ExprOp::kScalar, kFloat, 0)); }},
        Fault{"loop-expression-type", "reduction's result",
              [](Kernel& k) { put(k, leaf(k, ExprOp::kReduced, kInt, 0)); }},
        Fault{"loop-expression-type", "initial value",
              [](Kernel& k) {
                k.stages[0].reductions[0].finish = {leaf(k, ExprOp::kState, kInt, 0).id};
              }},
        Fault{"loop-expression-type", "no computable dtype",
              [](Kernel& k) { put(k, cast(index(k, 0), Dtype::kComplex64)); }},
        Fault{"loop-expression-type", "no scalar arithmetic",
              [](Kernel& k) { put(k, leaf(k, ExprOp::kConst, Dtype::kComplex64, 0)); }}));

INSTANTIATE_TEST_SUITE_P(
    Scopes, LoopVerify,
    testing::Values(
        Fault{"loop-out-of-scope", "position", [](Kernel& k) { k.stages[2].map_dims.clear(); }},
        Fault{"loop-out-of-scope", "position", [](Kernel& k) { put(k, index(k, 9)); }},
        Fault{"loop-out-of-scope", "no kernel scalar",
              [](Kernel& k) { put(k, leaf(k, ExprOp::kScalar, kInt, 2)); }},
        Fault{"loop-out-of-scope", "no kernel buffer",
              [](Kernel& k) { put(k, load(k, 5, kFloat, index(k, 0))); }},
        Fault{"loop-out-of-scope", "cannot be used here",
              [](Kernel& k) { put(k, leaf(k, ExprOp::kReduced, kFloat, 2 << 8)); }},
        Fault{"loop-out-of-scope", "no result of it",
              [](Kernel& k) { put(k, leaf(k, ExprOp::kReduced, kFloat, 1)); }},
        // A later stage of another nest cannot use what each position reduced.
        Fault{"loop-out-of-scope", "cannot be used here",
              [](Kernel& k) {
                k.dims.push_back({});
                k.stages[0].map_dims = {2};
              }},
        // A step cannot use the result of its own reduction.
        Fault{"loop-out-of-scope", "cannot be used here",
              [](Kernel& k) {
                k.stages[0].reductions[0].step = {leaf(k, ExprOp::kReduced, kFloat, 0).id};
              }},
        Fault{"loop-out-of-scope", "state",
              [](Kernel& k) { put(k, leaf(k, ExprOp::kState, kFloat, 0)); }},
        Fault{"loop-out-of-scope", "state",
              [](Kernel& k) {
                k.stages[0].reductions[0].step = {leaf(k, ExprOp::kOther, kFloat, 0).id};
              }},
        Fault{"loop-out-of-scope", "state",
              [](Kernel& k) {
                k.stages[0].reductions[0].finish = {leaf(k, ExprOp::kState, kFloat, 1).id};
              }},
        Fault{"loop-out-of-scope", "position",
              [](Kernel& k) { k.stages[0].reductions[0].init = {cast(index(k, 0), kFloat).id}; }},
        Fault{"loop-out-of-scope", "reads memory",
              [](Kernel& k) {
                const Expr zero{&k.exprs, k.exprs.constant(kInt, int64_t{0})};
                k.stages[0].reductions[0].merge = {load(k, 0, kFloat, zero).id};
              }},
        Fault{"loop-out-of-scope", "op row",
              [](Kernel& k) { put(k, leaf(k, ExprOp::kParam, kFloat, 0)); }}));

}  // namespace
}  // namespace nfx
