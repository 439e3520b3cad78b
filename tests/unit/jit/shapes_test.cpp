// Kernels of the usual shapes at sizes around the vector width, on every vector
// width that this machine can run.
#include <gtest/gtest.h>

#include <random>

#include "jit/compiled.h"
#include "loop/builder.h"
#include "loop/kernels.h"

namespace nfx {
namespace {

using testing_kernels::parsed;

Memory random_floats(int64_t count, uint64_t seed, Dtype dtype = Dtype::kFloat32) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal(0, 3);
  std::vector<double> values(static_cast<size_t>(count));
  for (double& value : values) value = normal(engine);
  return {dtype, values};
}

Memory zeros(int64_t count, Dtype dtype = Dtype::kFloat32) { return {dtype, count}; }

void expect_everywhere(std::string_view text, const std::vector<Memory>& memory,
                       const std::vector<int64_t>& scalars, double tolerance) {
  const Kernel kernel = parsed(text);
  for (const auto& jit : all_jits()) {
    SCOPED_TRACE(jit->target());
    expect_as_interpreted(kernel, memory, scalars, tolerance, *jit);
    if (::testing::Test::HasFailure()) return;
  }
}

class Sizes : public ::testing::TestWithParam<int> {};

TEST_P(Sizes, Pointwise) {
  const int64_t n = GetParam();
  expect_everywhere(R"(
kernel pointwise(b0: float32 in, b1: float32 in, b2: float32 out; s0: int64)
dim i = dense(s0)
rows i
stage store b2[i] = load b0[i]*load b0[i] + load b1[0]
)",
                    {random_floats(n, 1), random_floats(1, 2), zeros(n)}, {n}, 1e-6);
}

TEST_P(Sizes, MixedTypes) {
  const int64_t n = GetParam();
  std::vector<double> bits(static_cast<size_t>(n));
  for (size_t k = 0; k < bits.size(); ++k) bits[k] = static_cast<double>(k * 7 % 3);
  expect_everywhere(R"(
kernel mixed(b0: float32 in, b1: bool in, b2: int32 in, b3: float64 out, b4: bool out, b5: int64 out, b6: bfloat16 out, b7: float16 out; s0: int64)
dim i = dense(s0)
rows i
stage
  store b3[i] = float64(load b0[i])*0.5
  store b4[i] = and(load b1[i], lt(load b2[i], 2:int32))
  store b5[i] = select(load b1[i], int64(load b2[i]), i)
  store b6[i] = bfloat16(load b0[i])
  store b7[i] = float16(load b0[i])
)",
                    {random_floats(n, 1),
                     {Dtype::kBool, bits},
                     {Dtype::kInt32, bits},
                     zeros(n, Dtype::kFloat64),
                     zeros(n, Dtype::kBool),
                     zeros(n, Dtype::kInt64),
                     zeros(n, Dtype::kBFloat16),
                     zeros(n, Dtype::kFloat16)},
                    {n}, 0);
}

TEST_P(Sizes, Transposed) {
  const int64_t n = GetParam();
  expect_everywhere(R"(
kernel transposed(b0: float32 in, b1: float32 in, b2: float32 out; s0: int64, s1: int64)
dim i = dense(s0)
dim j = dense(s1)
rows i j
stage store b2[i*s1 + j] = load b0[j*s0 + i] + load b1[i]*2.0f
)",
                    {random_floats(5 * n, 1), random_floats(5, 2), zeros(5 * n)}, {5, n}, 1e-6);
}

TEST_P(Sizes, Softmax) {
  const int64_t n = GetParam();
  expect_everywhere(testing_kernels::kSoftmax, {random_floats(5 * n, 3), zeros(5 * n)}, {5, n},
                    1e-6);
}

TEST_P(Sizes, LayerNormInDouble) {
  const int64_t n = GetParam();
  expect_everywhere(R"(
kernel layer_norm(b0: float64 in, b1: float64 in, b2: float64 out; s0: int64, s1: int64)
dim i = dense(s0)
dim j = dense(s1)
rows i
stage reduce j: r0 = sum(load b0[i*s1 + j])
stage reduce j: r1 = sum((load b0[i*s1 + j] - r0/float64(s1))*(load b0[i*s1 + j] - r0/float64(s1)))
stage map j:    store b2[i*s1 + j] = (load b0[i*s1 + j] - r0/float64(s1))*rsqrt(r1/float64(s1) + 1e-05)*load b1[j]
)",
                    {random_floats(3 * n, 3, Dtype::kFloat64), random_floats(n, 4, Dtype::kFloat64),
                     zeros(3 * n, Dtype::kFloat64)},
                    {3, n}, 1e-10);
}

TEST_P(Sizes, ColumnSum) {
  const int64_t n = GetParam();
  expect_everywhere(testing_kernels::kColumnSum, {random_floats(37 * n, 3), zeros(n)}, {37, n},
                    1e-5);
}

TEST_P(Sizes, GuardedPad) {
  const int64_t n = GetParam();
  expect_everywhere(R"(
kernel pad(b0: float32 in, b1: float32 out; s0: int64)
dim i = dense(s0)
rows i
stage store b1[i] = load b0[i - 3 if and(ge(i, 3), lt(i, s0 - 2))]
)",
                    {random_floats(std::max<int64_t>(n - 5, 0), 5), zeros(n)}, {n}, 0);
}

TEST_P(Sizes, GuardedStore) {
  const int64_t n = GetParam();
  expect_everywhere(R"(
kernel guarded(b0: float32 in, b1: float32 out; s0: int64)
dim i = dense(s0)
rows i
stage store b1[i if ge(i, 2)] = exp(load b0[i - 2])
)",
                    {random_floats(std::max<int64_t>(n - 2, 0), 5), zeros(n)}, {n}, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Tails, Sizes, ::testing::Range(0, 71));

// Rows of 0, 1, 7, 0, 33, 500, 0, 16 edges among 23 nodes of `features`.
struct Edges {
  std::vector<double> offsets = {0, 0, 1, 8, 8, 41, 541, 541, 557};
  std::vector<double> source;
  Edges() {
    for (int e = 0; e < 557; ++e) source.push_back(static_cast<double>(e * 7919 % 23));
  }
};

class Features : public ::testing::TestWithParam<int> {};

TEST_P(Features, WeightedSum) {
  const int64_t f = GetParam();
  const Edges edges;
  expect_everywhere(testing_kernels::kWeightedSum,
                    {random_floats(23 * f, 1),
                     random_floats(557, 2),
                     {Dtype::kInt64, edges.source},
                     {Dtype::kInt64, edges.offsets},
                     zeros(8 * f)},
                    {8, f}, 1e-3);
}

Kernel edge_argmax() {
  KernelBuilder k("edge_argmax");
  const BufferId x = k.buffer(Dtype::kFloat32, BufferUse::kIn);
  const BufferId source = k.buffer(Dtype::kInt64, BufferUse::kIn);
  const BufferId offsets = k.buffer(Dtype::kInt64, BufferUse::kIn);
  const BufferId largest = k.buffer(Dtype::kFloat32, BufferUse::kOut);
  const BufferId where = k.buffer(Dtype::kInt64, BufferUse::kOut);
  const Extent nodes = k.size();
  const Extent features = k.size();
  const DimId i = k.dense(nodes, "i");
  const DimId f = k.dense(features, "f");
  const DimId e = k.ragged(i, offsets, "e");
  k.rows({i, f});
  k.stage({}, {e});
  const Expr row = k.load(source, k.index(e));
  const Expr element = k.load(x, row * k.value(features) + k.index(f));
  const Expr found = k.reduce(reduce_argmax(element, k.index(e)));
  const Expr place = k.index(i) * k.value(features) + k.index(f);
  k.store(largest, place, found);
  k.store(where, place, k.component(found, 1));
  return std::move(k).take();
}

// The maximum over in-edges and the edge that it came from.
TEST_P(Features, ArgmaxOverEdges) {
  const int64_t f = GetParam();
  const Edges edges;
  Memory x = random_floats(23 * f, 1);
  x.set(0, make_value(Dtype::kFloat32, std::nan("")));
  const Kernel kernel = edge_argmax();
  for (const auto& jit : all_jits()) {
    expect_as_interpreted(kernel,
                          {x,
                           {Dtype::kInt64, edges.source},
                           {Dtype::kInt64, edges.offsets},
                           zeros(8 * f),
                           zeros(8 * f, Dtype::kInt64)},
                          {8, f}, 0, *jit);
  }
}

INSTANTIATE_TEST_SUITE_P(Ragged, Features,
                         ::testing::Values(1, 3, 8, 16, 17, 40, 64, 65, 130, 1100));

TEST(Ragged, EdgeSoftmax) {
  const Edges edges;
  expect_everywhere(testing_kernels::kEdgeSoftmax,
                    {random_floats(557, 1), {Dtype::kInt64, edges.offsets}, zeros(557)}, {8}, 1e-6);
}

TEST(Ragged, NoEdgesAtAll) {
  expect_everywhere(testing_kernels::kWeightedSum,
                    {zeros(0),
                     zeros(0),
                     zeros(0, Dtype::kInt64),
                     {Dtype::kInt64, std::vector<double>(4, 0)},
                     random_floats(3 * 5, 1)},
                    {3, 5}, 0);
}

}  // namespace
}  // namespace nfx
