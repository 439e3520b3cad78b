#include <gtest/gtest.h>

#include <cmath>

#include "expr/expr_math.h"
#include "loop/builder.h"
#include "loop/kernels.h"
#include "loop/parse.h"
#include "loop/print.h"
#include "loop/verify.h"

namespace nfx {
namespace {

using testing_kernels::parsed;

void expect_round_trip(const Kernel& kernel) {
  for (KernelNames names : {KernelNames::kCanonical, KernelNames::kOwn}) {
    const std::string text = print(kernel, names);
    EXPECT_EQ(print(parsed(text), names), text);
  }
}

TEST(LoopText, PrintsAsSpelled) {
  const Kernel kernel = parsed(testing_kernels::kSoftmax);
  EXPECT_EQ("\n" + print(kernel, KernelNames::kOwn), testing_kernels::kSoftmax);
  EXPECT_EQ(print(kernel).substr(0, 9), "kernel k(");
}

TEST(LoopText, RoundTrips) {
  for (std::string_view text : {testing_kernels::kSoftmax, testing_kernels::kWeightedSum,
                                testing_kernels::kEdgeSoftmax, testing_kernels::kColumnSum}) {
    expect_round_trip(parsed(text));
  }
}

// One kernel with every monoid over every dtype that it takes.
TEST(LoopText, EveryReductionRoundTrips) {
  for (Dtype dtype : {Dtype::kFloat32, Dtype::kFloat64, Dtype::kBFloat16, Dtype::kFloat16,
                      Dtype::kUInt8, Dtype::kInt8, Dtype::kInt32, Dtype::kInt64, Dtype::kUInt64}) {
    KernelBuilder k("reductions");
    const BufferId in = k.buffer(dtype, BufferUse::kIn);
    const DimId j = k.dense(5, "j");
    k.stage({}, {j});
    const Expr x = k.load(in, k.index(j));
    for (Reduction (*make)(Expr) : {reduce_sum, reduce_prod, reduce_max, reduce_min}) {
      k.reduce(make(x));
    }
    k.reduce(reduce_argmax(x, k.index(j)));
    k.reduce(reduce_argmin(x, k.index(j)));
    k.reduce(reduce_any(x > 0));
    k.reduce(reduce_all(x > 0));
    if (is_floating(dtype)) {
      k.reduce(reduce_logsumexp(x));
      k.reduce(reduce_softmax(x));
      k.reduce(reduce_welford(x));
    }
    const Status status = verify(k.kernel());
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().str());
    expect_round_trip(k.kernel());
    EXPECT_NE(print(k.kernel()).find("r0 = sum(load b0[d0])\n"), std::string::npos);
    EXPECT_NE(print(k.kernel()).find("r4 = fold {\n    init "), std::string::npos);
  }
}

TEST(LoopText, EveryOperationRoundTrips) {
  KernelBuilder k("operations");
  std::vector<BufferId> in;
  const std::vector<Dtype> dtypes = {Dtype::kFloat32, Dtype::kFloat64, Dtype::kInt64,
                                     Dtype::kInt32,   Dtype::kUInt8,   Dtype::kBool};
  for (Dtype dtype : dtypes) in.push_back(k.buffer(dtype, BufferUse::kIn));
  const DimId i = k.dense(k.size(), "i");
  k.rows({i});
  k.stage({}, {});
  size_t stores = 0;
  for (size_t d = 0; d < dtypes.size(); ++d) {
    const Expr x = k.load(in[d], k.index(i));
    const Expr y = k.load(in[d], k.index(i) + 1);
    for (int n = 0; n <= static_cast<int>(ExprOp::kGe); ++n) {
      const auto op = static_cast<ExprOp>(n);
      if (op <= ExprOp::kSelect || !applies_to(op, dtypes[d])) continue;
      const Expr value = arity(op) == 1 ? unary(op, x) : binary(op, x, y);
      k.store(k.buffer(value.dtype(), BufferUse::kOut), k.index(i), value, x == y);
      ++stores;
    }
    for (Dtype to : dtypes) k.store(k.buffer(to, BufferUse::kOut), k.index(i), cast(x, to));
  }
  EXPECT_GT(stores, 150u);
  expect_round_trip(k.kernel());
}

TEST(LoopText, ConstantsAreKeptToTheBit) {
  KernelBuilder k("constants");
  k.stage({}, {});
  for (double value :
       {0.1, -0.0, 1e-45, 3.4028235e38, 1e300, double{INFINITY}, -double{INFINITY}, double{NAN},
        -double{NAN}, 5e-324, 0.3333333333333333, 16777217.0, 65504.0}) {
    for (Dtype dtype : {Dtype::kFloat64, Dtype::kFloat32, Dtype::kFloat16, Dtype::kBFloat16}) {
      k.store(k.buffer(dtype, BufferUse::kOut), k.constant(Dtype::kInt64, 0),
              k.constant(dtype, value));
    }
  }
  for (Dtype dtype : {Dtype::kInt64, Dtype::kUInt64, Dtype::kInt8, Dtype::kUInt8, Dtype::kBool}) {
    for (int64_t value : {int64_t{0}, int64_t{-1}, INT64_MIN, INT64_MAX, int64_t{127}}) {
      const Expr constant{&k.exprs(), k.exprs().constant(dtype, value)};
      k.store(k.buffer(dtype, BufferUse::kOut), k.constant(Dtype::kInt64, 0), constant);
    }
  }
  const std::string text = print(k.kernel());
  const Kernel again = parsed(text);
  EXPECT_EQ(print(again), text);
  ASSERT_EQ(again.stages.size(), 1u);
  const auto& stores = k.kernel().stages[0].stores;
  for (size_t s = 0; s < stores.size(); ++s) {
    EXPECT_EQ(k.kernel().exprs[stores[s].value], again.exprs[again.stages[0].stores[s].value]);
  }
}

// The key of the code cache leaves out what is not meaning.
TEST(LoopText, NamesAndOrderOfConstructionAreNoMeaning) {
  const Kernel first = parsed(R"(kernel one(b0: float32 in, b1: float32 out)
      dim i = dense(7)
      rows i
      stage
        let unused = cos(load b0[i])
        store b1[i] = sin(load b0[i])*cos(load b0[i]))");
  const Kernel second = parsed(R"(kernel two(b0: float32 in, b1: float32 out)
      dim row = dense(7)
      rows row
      stage store b1[row] = sin(load b0[row])*cos(load b0[row]))");
  EXPECT_EQ(print(first), print(second));
  EXPECT_NE(print(first, KernelNames::kOwn), print(second, KernelNames::kOwn));
}

// Text stays linear in the pool although every node is used twice, and a reader
// never recurses far.
TEST(LoopText, SharedAndDeepExpressionsAreNamed) {
  KernelBuilder k("deep");
  const BufferId in = k.buffer(Dtype::kFloat32, BufferUse::kIn);
  const BufferId out = k.buffer(Dtype::kFloat32, BufferUse::kOut);
  k.stage({}, {});
  const Expr zero = k.constant(Dtype::kInt64, 0);
  Expr shared = k.load(in, zero);
  for (int n = 0; n < 1000; ++n) shared = shared * shared;
  Expr deep = k.load(in, zero);
  for (int n = 0; n < 5000; ++n) deep = 1 / deep;
  k.store(out, zero, shared);
  k.store(out, zero, deep);
  EXPECT_LT(print(k.kernel()).size(), 200'000u);
  expect_round_trip(k.kernel());
}

struct BadText {
  const char* code;
  int line;
  const char* text;
};

void PrintTo(const BadText& bad, std::ostream* out) {
  *out << bad.code << " in " << std::string_view(bad.text).substr(0, 80);
}

class LoopBadText : public testing::TestWithParam<BadText> {};

TEST_P(LoopBadText, IsDiagnosedWithItsPlace) {
  const auto kernel = parse_kernel(GetParam().text);
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().code, GetParam().code) << kernel.error().str();
  EXPECT_EQ(kernel.error().place.line, GetParam().line) << kernel.error().str();
}

std::string nested(int depth) {
  return "kernel k(b0: int64 out)\nstage store b0[" + std::string(static_cast<size_t>(depth), '(') +
         "0" + std::string(static_cast<size_t>(depth), ')') + "] = 0";
}

const std::string too_deep = nested(100'000);

INSTANTIATE_TEST_SUITE_P(
    All, LoopBadText,
    testing::Values(BadText{"loop-syntax", 1, ""}, BadText{"loop-syntax", 1, "kernel"},
                    BadText{"loop-syntax", 1, "kernel k(b0 float32 in)"},
                    BadText{"loop-syntax", 1, "kernel k(b0: float31 in)"},
                    BadText{"loop-syntax", 1, "kernel k(b0: float32)"},
                    BadText{"loop-syntax", 2, "kernel k()\ndim i = sparse(3)"},
                    BadText{"loop-syntax", 2, "kernel k()\n$"},
                    BadText{"loop-syntax", 2,
                            "kernel k(b0: int64 out)\nstage store b0[0] = exp(1.0, 2.0)"},
                    BadText{"loop-syntax", 3, "kernel k(b0: int64 out)\nstage\nstore b0[0] = -d0"},
                    BadText{"loop-bad-name", 1, "kernel dim()"},
                    BadText{"loop-bad-name", 1, "kernel k(b1: float32 in)"},
                    BadText{"loop-bad-name", 3, "kernel k()\ndim i = dense(3)\ndim i = dense(3)"},
                    BadText{"loop-bad-name", 2, "kernel k()\ndim d1 = dense(3)"},
                    BadText{"loop-bad-name", 2, "kernel k()\nstage let b0 = 1"},
                    BadText{"loop-bad-name", 2, "kernel k()\nstage let t0 = 1 let t0 = 2"},
                    BadText{"loop-bad-name", 2, "kernel k()\nstage r1 = sum(1)"},
                    BadText{"loop-unknown-name", 2, "kernel k()\nrows i"},
                    BadText{"loop-unknown-name", 2, "kernel k()\nstage let t0 = s0"},
                    BadText{"loop-unknown-name", 2, "kernel k()\nstage let t0 = r0"},
                    BadText{"loop-unknown-name", 2, "kernel k()\nstage let t0 = state0"},
                    BadText{"loop-unknown-name", 2, "kernel k()\nstage let t0 = load b0[0]"},
                    BadText{"loop-unknown-name", 2, "kernel k()\nstage let t0 = f(1)"},
                    BadText{"loop-unknown-name", 2, "kernel k()\nstage let t0 = state(1)"},
                    BadText{"loop-unknown-name", 2, "kernel k()\nstage r0 = sum(true)"},
                    BadText{"loop-unknown-name", 2, "kernel k()\nstage r0 = sum(1) let t0 = r0.1"},
                    BadText{"loop-bad-number", 2, "kernel k()\nstage let t0 = 9223372036854775808"},
                    BadText{"loop-bad-number", 2, "kernel k()\nstage let t0 = -1:uint8"},
                    BadText{"loop-bad-number", 2, "kernel k()\nstage let t0 = 1.5:int32"},
                    BadText{"loop-bad-number", 2, "kernel k()\nstage let t0 = 1:float32"},
                    BadText{"loop-bad-number", 2, "kernel k()\nstage let t0 = nan(0x1)"},
                    BadText{"loop-bad-number", 2, "kernel k()\nstage let t0 = inf:int8"},
                    BadText{"loop-bad-number", 2, "kernel k()\nstage let t0 = 1.0:complex64"},
                    BadText{"loop-too-deep", 2, too_deep.c_str()}));

}  // namespace
}  // namespace nfx
