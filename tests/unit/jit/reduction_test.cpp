// Reductions: every monoid along rows, columns and everything, and how exact long
// sums are.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "jit/compiled.h"
#include "loop/builder.h"

namespace nfx {
namespace {

struct Monoid {
  std::string name;
  std::function<Reduction(Expr element, Expr index)> make;
  int components;
};

const std::vector<Monoid>& monoids() {
  static const std::vector<Monoid> list = {
      {"sum", [](Expr x, Expr) { return reduce_sum(x); }, 1},
      {"prod", [](Expr x, Expr) { return reduce_prod(x); }, 1},
      {"max", [](Expr x, Expr) { return reduce_max(x); }, 1},
      {"min", [](Expr x, Expr) { return reduce_min(x); }, 1},
      {"argmax", [](Expr x, Expr i) { return reduce_argmax(x, i); }, 2},
      {"argmin", [](Expr x, Expr i) { return reduce_argmin(x, i); }, 2},
      {"logsumexp", [](Expr x, Expr) { return reduce_logsumexp(x); }, 1},
      {"softmax", [](Expr x, Expr) { return reduce_softmax(x); }, 2},
      {"welford", [](Expr x, Expr) { return reduce_welford(x); }, 3},
  };
  return list;
}

enum class Axis { kRows, kColumns, kAll };

// Over [s0, s1]: along j for each i, along i for each j, or along both.
Kernel reduction_kernel(const Monoid& monoid, Dtype dtype, Axis axis) {
  KernelBuilder k(monoid.name);
  const BufferId in = k.buffer(dtype, BufferUse::kIn);
  const Extent rows = k.size();
  const Extent columns = k.size();
  const DimId i = k.dense(rows, "i");
  const DimId j = k.dense(columns, "j");
  if (axis != Axis::kAll) k.rows({axis == Axis::kRows ? i : j});
  k.stage({}, axis == Axis::kAll ? std::vector{i, j} : std::vector{axis == Axis::kRows ? j : i});
  const Expr place = k.index(i) * k.value(columns) + k.index(j);
  const Expr result = k.reduce(monoid.make(k.load(in, place), place));
  const Expr out = axis == Axis::kAll
                       ? Expr{&k.exprs(), k.exprs().constant(Dtype::kInt64, int64_t{0})}
                       : k.index(axis == Axis::kRows ? i : j);
  for (int c = 0; c < monoid.components; ++c) {
    const Expr value = k.component(result, static_cast<uint32_t>(c));
    k.store(k.buffer(value.dtype(), BufferUse::kOut), out, value);
  }
  return std::move(k).take();
}

// Small whole numbers: ties for argmax, and no monoid overflows.
Memory values(Dtype dtype, int64_t count, bool with_nan) {
  std::mt19937_64 engine(11);
  std::vector<double> list(static_cast<size_t>(count));
  for (double& value : list) value = static_cast<double>(engine() % 9) / 4 + 0.25;
  Memory memory(dtype, list);
  if (with_nan && count > 20) memory.set(17, make_value(dtype, std::nan("")));
  return memory;
}

class Reductions : public ::testing::TestWithParam<int> {};

TEST_P(Reductions, AsInterpreted) {
  const Monoid& monoid = monoids()[static_cast<size_t>(GetParam())];
  for (Dtype dtype : {Dtype::kFloat32, Dtype::kFloat64}) {
    for (Axis axis : {Axis::kRows, Axis::kColumns, Axis::kAll}) {
      const Kernel kernel = reduction_kernel(monoid, dtype, axis);
      for (const auto& [rows, columns] :
           {std::pair<int64_t, int64_t>{3, 0}, {0, 3}, {1, 1}, {5, 31}, {31, 5}, {3, 200}}) {
        for (bool with_nan : {false, true}) {
          std::vector<Memory> memory = {values(dtype, rows * columns, with_nan)};
          for (size_t b = 1; b < kernel.buffers.size(); ++b) {
            memory.emplace_back(kernel.buffers[b].dtype, std::max<int64_t>({rows, columns, 1}));
          }
          SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
          for (const auto& jit : all_jits()) {
            expect_as_interpreted(kernel, memory, {rows, columns}, 1e-4, *jit);
          }
          if (HasFailure()) return;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Reductions, ::testing::Range(0, static_cast<int>(monoids().size())),
                         [](const auto& each) {
                           return monoids()[static_cast<size_t>(each.param)].name;
                         });

// Sums of a million floats stay within 4 roundings of the exact one, as a tree of
// partial sums does and a single running sum does not.
TEST(Reductions, LongSumsAreExact) {
  for (Axis axis : {Axis::kRows, Axis::kColumns, Axis::kAll}) {
    const Kernel kernel = reduction_kernel(monoids()[0], Dtype::kFloat32, axis);
    const int64_t long_side = 1 << 20;
    const std::vector<int64_t> sizes = axis == Axis::kColumns ? std::vector<int64_t>{long_side, 3}
                                                              : std::vector<int64_t>{3, long_side};
    std::mt19937_64 engine(5);
    std::uniform_real_distribution<float> uniform(0.5F, 1.5F);
    std::vector<Memory> memory = {{Dtype::kFloat32, 3 * long_side}, {Dtype::kFloat32, 3}};
    double exact[3] = {};
    for (int64_t k = 0; k < 3 * long_side; ++k) {
      const float value = uniform(engine);
      memory[0].set(k, make_value(Dtype::kFloat32, double{value}));
      const int64_t owner = axis == Axis::kAll ? 0 : (axis == Axis::kRows ? k / long_side : k % 3);
      exact[owner] += double{value};
    }
    const auto code = compiled(kernel);
    run(kernel, *code, memory, sizes);
    for (int owner = 0; owner < (axis == Axis::kAll ? 1 : 3); ++owner) {
      const double error = std::fabs(memory[1][owner] - exact[owner]) / exact[owner];
      EXPECT_LT(error, 4 * 0x1p-24) << "axis " << static_cast<int>(axis);
    }
  }
}

}  // namespace
}  // namespace nfx
