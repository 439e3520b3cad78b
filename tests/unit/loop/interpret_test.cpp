#include "loop/interpret.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "loop/builder.h"
#include "loop/kernels.h"
#include "loop/memory.h"
#include "loop/verify.h"

namespace nfx {
namespace {

using testing_kernels::parsed;
constexpr Dtype kFloat = Dtype::kFloat32;
constexpr Dtype kInt = Dtype::kInt64;

std::vector<double> values(const Memory& memory) {
  std::vector<double> list;
  for (int64_t k = 0; k < memory.size(); ++k) list.push_back(memory[k]);
  return list;
}

void expect_near(const Memory& memory, const std::vector<double>& want, double tolerance = 1e-6) {
  ASSERT_EQ(memory.size(), static_cast<int64_t>(want.size()));
  for (size_t k = 0; k < want.size(); ++k) {
    const double got = memory[static_cast<int64_t>(k)];
    if (std::isnan(want[k])) {
      EXPECT_TRUE(std::isnan(got)) << "element " << k << " is " << got;
    } else if (std::isinf(want[k])) {
      EXPECT_EQ(got, want[k]) << "element " << k;
    } else {
      EXPECT_NEAR(got, want[k], tolerance * (1 + std::fabs(want[k]))) << "element " << k;
    }
  }
}

// Schedules that split reductions differently: results are equal up to rounding.
std::vector<Schedule> splits(const Kernel& kernel) {
  std::vector<Schedule> list;
  for (int accumulators : {1, 2, 3}) {
    for (int64_t block : {0, 1, 2, 5}) {
      StageSchedule stage;
      stage.accumulators = accumulators;
      stage.block = block;
      Schedule schedule;
      schedule.stages.assign(kernel.stages.size(), stage);
      list.push_back(schedule);
    }
  }
  return list;
}

// Runs whole and in every split; the last buffer is the output.
void expect_output(const Kernel& kernel, std::vector<Memory> memory,
                   const std::vector<int64_t>& scalars, const std::vector<double>& want,
                   double tolerance = 1e-6) {
  ASSERT_TRUE(verify(kernel).ok()) << verify(kernel).error().str();
  run_reference(kernel, memory, scalars);
  expect_near(memory.back(), want, tolerance);
  for (const Schedule& schedule : splits(kernel)) {
    run_reference(kernel, memory, scalars, &schedule);
    expect_near(memory.back(), want, tolerance);
  }
}

TEST(Interpret, PointwiseWithBroadcastAndStrides) {
  const Kernel kernel = parsed(R"(
kernel k(b0: float32 in, b1: float32 in, b2: float32 out; s0: int64, s1: float64)
dim i = dense(2)
dim j = dense(3)
rows i j
stage
  store b2[i*3 + j] = load b0[j*s0 + i]*float32(s1) + load b1[j]
)");
  std::vector<Memory> memory;
  memory.emplace_back(kFloat, std::vector<double>{1, 2, 3, 4, 5, 6});
  memory.emplace_back(kFloat, std::vector<double>{10, 20, 30});
  memory.emplace_back(kFloat, 6);
  expect_output(kernel, memory, {2, std::bit_cast<int64_t>(0.5)}, {10.5, 21.5, 32.5, 11, 22, 33});
}

TEST(Interpret, RowsRunInParts) {
  const Kernel kernel = parsed(
      "kernel k(b0: int64 out) dim i = dense(3) dim j = dense(4) rows i j "
      "stage store b0[i*4 + j] = i*10 + j");
  std::vector<Memory> memory;
  memory.emplace_back(kInt, 12);
  const std::vector<void*> buffers = pointers(memory);
  interpret(kernel, buffers.data(), nullptr, 5, 7);
  EXPECT_EQ(values(memory[0]), (std::vector<double>{0, 0, 0, 0, 0, 11, 12, 0, 0, 0, 0, 0}));
}

TEST(Interpret, GuardsKeepMemoryUntouched) {
  const Kernel kernel = parsed(R"(
kernel k(b0: float32 in, b1: float32 out)
dim i = dense(4)
rows i
stage
  store b1[i if lt(i, 3)] = load b0[i - 1 if ge(i, 1)] + 1.0f
)");
  std::vector<Memory> memory;
  memory.emplace_back(kFloat, std::vector<double>{5, 6, 7});
  memory.emplace_back(kFloat, std::vector<double>{-1, -1, -1, -1});
  expect_output(kernel, memory, {}, {1, 6, 7, -1});
}

TEST(Interpret, LaterStageSeesEarlierStores) {
  const Kernel kernel = parsed(R"(
kernel k(b0: float32 in, b1: float32 inout, b2: float32 out)
dim i = dense(2)
dim j = dense(3)
rows i
stage map j
  store b1[i*3 + j] = load b0[i*3 + j]*2.0f
stage reduce j
  r0 = sum(load b1[i*3 + j])
  store b2[i] = r0
)");
  std::vector<Memory> memory;
  memory.emplace_back(kFloat, std::vector<double>{1, 2, 3, 4, 5, 6});
  memory.emplace_back(kFloat, 6);
  memory.emplace_back(kFloat, 2);
  expect_output(kernel, memory, {}, {12, 30});
}

TEST(Interpret, ReductionsOfMapDimensionsAreTheirOwn) {
  const Kernel kernel = parsed(R"(
kernel k(b0: float32 in, b1: float32 out)
dim i = dense(2)
dim c = dense(2)
dim j = dense(3)
rows i
stage map c reduce j
  r0 = sum(load b0[(i*3 + j)*2 + c])
  store b1[i*2 + c] = r0
)");
  std::vector<Memory> memory;
  memory.emplace_back(kFloat, std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  memory.emplace_back(kFloat, 4);
  expect_output(kernel, memory, {}, {9, 12, 27, 30});
}

std::vector<double> softmax(const std::vector<double>& row) {
  double largest = -INFINITY;
  for (double x : row) largest = std::isnan(x) || x > largest ? x : largest;
  double total = 0;
  for (double x : row) total += std::exp(x - largest);
  std::vector<double> result;
  for (double x : row) result.push_back(std::exp(x - largest) / total);
  return result;
}

const std::vector<std::vector<double>>& rows_with_corners() {
  static const std::vector<std::vector<double>> rows = {
      {1, 2, 3, 4, 5},
      {1000, 999, -1000, 0, 1000},
      {-INFINITY, 1, 2, -INFINITY, 0},
      {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY},
      {1, INFINITY, 2, 3, 4},
      {INFINITY, -INFINITY, INFINITY, 0, 1},
      {1, NAN, 3, 4, 5}};
  return rows;
}

TEST(Interpret, Softmax) {
  for (const std::vector<double>& row : rows_with_corners()) {
    std::vector<Memory> memory;
    memory.emplace_back(kFloat, row);
    memory.emplace_back(kFloat, 5);
    expect_output(parsed(testing_kernels::kSoftmax), memory, {1, 5}, softmax(row));
  }
}

TEST(Interpret, OnlineSoftmaxIsSoftmax) {
  KernelBuilder k("online");
  const BufferId in = k.buffer(kFloat, BufferUse::kIn);
  const BufferId out = k.buffer(kFloat, BufferUse::kOut);
  const DimId j = k.dense(5, "j");
  k.stage({}, {j});
  const Expr m = k.reduce(reduce_softmax(k.load(in, k.index(j))));
  k.stage({j}, {});
  k.store(out, k.index(j), exp(k.load(in, k.index(j)) - m) / k.component(m, 1));
  for (const std::vector<double>& row : rows_with_corners()) {
    std::vector<Memory> memory;
    memory.emplace_back(kFloat, row);
    memory.emplace_back(kFloat, 5);
    expect_output(k.kernel(), memory, {}, softmax(row));
  }
}

TEST(Interpret, LogSumExp) {
  KernelBuilder k("logsumexp");
  const BufferId in = k.buffer(kFloat, BufferUse::kIn);
  const BufferId out = k.buffer(kFloat, BufferUse::kOut);
  const DimId j = k.dense(5, "j");
  k.stage({}, {j});
  k.store(out, k.constant(kInt, 0), k.reduce(reduce_logsumexp(k.load(in, k.index(j)))));
  const double want[] = {
      5.451914395937593, 1000.8619948040582, 2.407605964444380, -INFINITY, INFINITY, INFINITY, NAN};
  for (size_t r = 0; r < rows_with_corners().size(); ++r) {
    std::vector<Memory> memory;
    memory.emplace_back(kFloat, rows_with_corners()[r]);
    memory.emplace_back(kFloat, 1);
    expect_output(k.kernel(), memory, {}, {want[r]});
  }
}

TEST(Interpret, LayerNorm) {
  KernelBuilder k("layer_norm");
  const BufferId in = k.buffer(kFloat, BufferUse::kIn);
  const BufferId weight = k.buffer(kFloat, BufferUse::kIn);
  const BufferId out = k.buffer(kFloat, BufferUse::kOut);
  const Extent columns = k.size();
  const DimId i = k.dense(k.size(), "i");
  const DimId j = k.dense(columns, "j");
  const Expr at = k.index(i) * k.value(columns) + k.index(j);
  k.rows({i});
  k.stage({}, {j});
  const Expr mean = k.reduce(reduce_welford(k.load(in, at)));
  const Expr variance = k.component(mean, 1) / k.component(mean, 2);
  k.stage({j}, {});
  k.store(out, at, (k.load(in, at) - mean) * rsqrt(variance + 1e-5) * k.load(weight, k.index(j)));
  const std::vector<double> x = {1, 2, 3, 10, 1001, 1002, 1003, 1004};
  std::vector<double> want;
  for (size_t r = 0; r < 2; ++r) {
    double center = 0, spread = 0;
    for (size_t c = 0; c < 4; ++c) center += x[r * 4 + c] / 4;
    for (size_t c = 0; c < 4; ++c) spread += std::pow(x[r * 4 + c] - center, 2) / 4;
    for (size_t c = 0; c < 4; ++c) {
      const double scale = static_cast<double>(c + 1);
      want.push_back((x[r * 4 + c] - center) / std::sqrt(spread + 1e-5) * scale);
    }
  }
  std::vector<Memory> memory;
  memory.emplace_back(kFloat, x);
  memory.emplace_back(kFloat, std::vector<double>{1, 2, 3, 4});
  memory.emplace_back(kFloat, 8);
  expect_output(k.kernel(), memory, {4, 2}, want, 1e-4);
}

struct ArgCase {
  std::vector<double> row;
  double largest, argmax, smallest, argmin;
};

TEST(Interpret, ArgReductionsTakeTheFirstOfTiesAndNan) {
  const ArgCase cases[] = {
      {{1, 5, 3, 5, 1}, 5, 1, 1, 0},
      {{NAN, 5, NAN, 1, 0}, NAN, 0, NAN, 0},
      {{7, 5, NAN, NAN, 0}, NAN, 2, NAN, 2},
      {{-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY}, -INFINITY, 0, -INFINITY, 0},
      {{INFINITY, INFINITY, INFINITY, INFINITY, INFINITY}, INFINITY, 0, INFINITY, 0},
      {{0.0, -0.0, 0.0, -0.0, 0.0}, 0, 0, 0, 0},
  };
  for (const ArgCase& each : cases) {
    KernelBuilder k("arg");
    const BufferId in = k.buffer(kFloat, BufferUse::kIn);
    const BufferId out = k.buffer(Dtype::kFloat64, BufferUse::kOut);
    const DimId j = k.dense(5, "j");
    k.stage({}, {j});
    const Expr most = k.reduce(reduce_argmax(k.load(in, k.index(j)), k.index(j)));
    const Expr least = k.reduce(reduce_argmin(k.load(in, k.index(j)), k.index(j)));
    const Expr results[] = {most, k.component(most, 1), least, k.component(least, 1)};
    for (int n = 0; n < 4; ++n) {
      k.store(out, k.constant(kInt, n), cast(results[n], Dtype::kFloat64));
    }
    std::vector<Memory> memory;
    memory.emplace_back(kFloat, each.row);
    memory.emplace_back(Dtype::kFloat64, 4);
    expect_output(k.kernel(), memory, {}, {each.largest, each.argmax, each.smallest, each.argmin});
  }
}

TEST(Interpret, ArgmaxOfIntegersAndOfNothing) {
  const Kernel kernel = [] {
    KernelBuilder k("arg");
    const BufferId in = k.buffer(Dtype::kInt32, BufferUse::kIn);
    const BufferId out = k.buffer(kInt, BufferUse::kOut);
    const DimId j = k.dense(k.size(), "j");
    k.stage({}, {j});
    const Expr most = k.reduce(reduce_argmax(k.load(in, k.index(j)), k.index(j)));
    k.store(out, k.constant(kInt, 0), cast(most, kInt));
    k.store(out, k.constant(kInt, 1), k.component(most, 1));
    return std::move(k).take();
  }();
  const double smallest = -2147483648.0;
  std::vector<Memory> memory;
  memory.emplace_back(Dtype::kInt32, std::vector<double>{smallest, smallest});
  memory.emplace_back(kInt, 2);
  expect_output(kernel, memory, {2}, {smallest, 0});
  expect_output(kernel, memory, {0}, {smallest, -1});
}

TEST(Interpret, SumOverDimensionZero) {
  std::vector<Memory> memory;
  memory.emplace_back(kFloat, std::vector<double>{1, 2, 3, 4, 5, 6});
  memory.emplace_back(kFloat, 2);
  expect_output(parsed(testing_kernels::kColumnSum), memory, {3, 2}, {9, 12});
  memory[0] = Memory(kFloat, 0);
  expect_output(parsed(testing_kernels::kColumnSum), memory, {0, 2}, {0, 0});
}

TEST(Interpret, WeightedSumOverInEdges) {
  std::vector<Memory> memory;
  memory.emplace_back(kFloat, std::vector<double>{1, 2, 3, 4, 5, 6});
  memory.emplace_back(kFloat, std::vector<double>{1, 10, 100, 0.5, 0.25});
  memory.emplace_back(kInt, std::vector<double>{0, 1, 1, 2, 0});
  memory.emplace_back(kInt, std::vector<double>{0, 3, 3, 4, 5});  // node 1 has no edge
  memory.emplace_back(kFloat, std::vector<double>{9, 9, 9, 9, 9, 9, 9, 9});
  expect_output(parsed(testing_kernels::kWeightedSum), memory, {4, 2},
                {331, 442, 0, 0, 2.5, 3, 0.25, 0.5});
}

TEST(Interpret, EdgeSoftmax) {
  std::vector<Memory> memory;
  memory.emplace_back(kFloat, std::vector<double>{1, 2, 3, 50, -7, -7});
  memory.emplace_back(kInt, std::vector<double>{0, 3, 3, 4, 6});
  memory.emplace_back(kFloat, 6);
  const std::vector<double> first = softmax({1, 2, 3});
  expect_output(parsed(testing_kernels::kEdgeSoftmax), memory, {4},
                {first[0], first[1], first[2], 1, 0.5, 0.5});
}

// A reduction accumulates in the dtype of its state.
TEST(Interpret, StateDecidesPrecision) {
  const Kernel kernel = parsed(R"(
kernel k(b0: float32 in, b1: float32 out, b2: float32 out)
dim i = dense(3)
stage reduce i
  r0 = sum(load b0[i])
  r1 = sum(float64(load b0[i]))
  store b1[0] = r0
  store b2[0] = float32(r1)
)");
  std::vector<Memory> memory;
  memory.emplace_back(kFloat, std::vector<double>{16777216, 1, 1});
  memory.emplace_back(kFloat, 1);
  memory.emplace_back(kFloat, 1);
  run_reference(kernel, memory, {});
  EXPECT_EQ(memory[1][0], 16777216);
  EXPECT_EQ(memory[2][0], 16777218);
}

}  // namespace
}  // namespace nfx
