// Generated kernels, one thread, with outputs that stay in place: nanoseconds an
// element (or edge) as the counter `ns`. Limits that a kernel is to be compared
// with run beside it. Arguments are sizes.
#include <benchmark/benchmark.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <string>

#include "arrays.h"
#include "jit/jit.h"
#include "loop/parse.h"

namespace nfx {
namespace {

constexpr char kChain[] = R"(
kernel chain(b0: float32 in, b1: float32 in, b2: float32 out; s0: int64)
dim i = dense(s0)
rows i
stage
  store b2[i] = max(((((load b0[i] + load b1[i])*load b0[i] - load b1[i])*0.5f + 1.0f)*load b1[i] - load b0[i])*0.25f + load b1[i], 0.0f)
)";
constexpr char kSmoothChain[] = R"(
kernel smooth_chain(b0: float32 in, b1: float32 in, b2: float32 out; s0: int64)
dim i = dense(s0)
rows i
stage
  store b2[i] = sigmoid(load b0[i]*2.0f + load b1[i])*tanh(load b1[i] - load b0[i]) + 1.0f
)";
constexpr char kSoftmax[] = R"(
kernel softmax(b0: float32 in, b1: float32 out; s0: int64, s1: int64)
dim i = dense(s0)
dim j = dense(s1)
rows i
stage reduce j
  r0 = max(load b0[i*s1 + j])
stage reduce j
  r1 = sum(exp(load b0[i*s1 + j] - r0))
stage map j
  store b1[i*s1 + j] = exp(load b0[i*s1 + j] - r0)/r1
)";
constexpr char kLayerNorm[] = R"(
kernel layer_norm(b0: float32 in, b1: float32 out; s0: int64, s1: int64)
dim i = dense(s0)
dim j = dense(s1)
rows i
stage reduce j
  r0 = sum(load b0[i*s1 + j])
stage reduce j
  r1 = sum((load b0[i*s1 + j] - r0/float32(s1))*(load b0[i*s1 + j] - r0/float32(s1)))
stage map j
  store b1[i*s1 + j] = (load b0[i*s1 + j] - r0/float32(s1))*rsqrt(r1/float32(s1) + 1e-05f)
)";
constexpr char kBiasGelu[] = R"(
kernel bias_gelu(b0: float32 in, b1: float32 in, b2: float32 out; s0: int64, s1: int64)
dim i = dense(s0)
dim j = dense(s1)
rows i
stage map j
  store b2[i*s1 + j] = (load b0[i*s1 + j] + load b1[j])*0.5f*(erf((load b0[i*s1 + j] + load b1[j])*0.7071067811865476f) + 1.0f)
)";
constexpr char kColumnSum[] = R"(
kernel column_sum(b0: float32 in, b1: float32 out; s0: int64, s1: int64)
dim j = dense(s1)
dim i = dense(s0)
rows j
stage reduce i
  r0 = sum(load b0[i*s1 + j])
  store b1[j] = r0
)";
constexpr char kWeightedSum[] = R"(
kernel weighted_sum(b0: float32 in, b1: float32 in, b2: int64 in, b3: int64 in, b4: float32 out; s0: int64, s1: int64)
dim i = dense(s0)
dim f = dense(s1)
dim e = ragged(i, b3)
rows i f
stage reduce e
  r0 = sum(load b1[e]*load b0[load b2[e]*s1 + f])
  store b4[i*s1 + f] = r0
)";

Jit& jit() {
  static const std::unique_ptr<Jit> made = must(Jit::create());
  return *made;
}

void run_kernel(benchmark::State& state, const char* text, const std::vector<void*>& buffers,
                const std::vector<int64_t>& scalars, double elements) {
  const Kernel kernel = must(parse_kernel(text));
  const auto code = must(jit().compile(kernel));
  const int64_t items = work_items(kernel, code->schedule, scalars.data());
  for (auto _ : state) {
    code->run(buffers.data(), scalars.data(), 0, items);
    benchmark::ClobberMemory();
  }
  state.counters["ns"] = benchmark::Counter(
      elements * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void chain(benchmark::State& state, const char* text) {
  const int64_t n = state.range(0);
  const Array<float> x = floats(n), y = floats(n), out = array<float>(n);
  run_kernel(state, text, {x.get(), y.get(), out.get()}, {n}, static_cast<double>(n));
}
BENCHMARK_CAPTURE(chain, ten_ops, kChain)->Arg(1 << 14)->Arg(1 << 20)->Arg(1 << 26);
BENCHMARK_CAPTURE(chain, sigmoid_tanh, kSmoothChain)->Arg(1 << 14)->Arg(1 << 20);

void rows(benchmark::State& state, const char* text) {
  const int64_t m = state.range(0), n = state.range(1);
  const Array<float> x = floats(m * n), out = array<float>(m * n);
  run_kernel(state, text, {x.get(), out.get()}, {m, n}, static_cast<double>(m * n));
}
BENCHMARK_CAPTURE(rows, softmax, kSoftmax)->Args({4096, 4096})->Args({256, 1024})->Args({4096, 37});
BENCHMARK_CAPTURE(rows, layer_norm, kLayerNorm)->Args({4096, 4096})->Args({256, 1024});
BENCHMARK_CAPTURE(rows, column_sum, kColumnSum)->Args({4096, 4096})->Args({256, 1024});

void bias_gelu(benchmark::State& state) {
  const int64_t m = state.range(0), n = state.range(1);
  const Array<float> x = floats(m * n), bias = floats(n), out = array<float>(m * n);
  run_kernel(state, kBiasGelu, {x.get(), bias.get(), out.get()}, {m, n},
             static_cast<double>(m * n));
}
BENCHMARK(bias_gelu)->Args({4096, 4096})->Args({256, 1024});

// A random graph with a power law of degrees: nodes, edges, features.
struct Graph {
  Array<int64_t> source, offsets;
  explicit Graph(int64_t nodes, int64_t edges)
      : source(array<int64_t>(edges)), offsets(array<int64_t>(nodes + 1)) {
    std::mt19937_64 engine(1);
    std::uniform_real_distribution<double> uniform;
    const auto pick = [&] {
      return static_cast<int64_t>(static_cast<double>(nodes) * std::pow(uniform(engine), 2.0));
    };
    for (int64_t e = 0; e < edges; ++e) {
      ++offsets[static_cast<size_t>(pick()) + 1];
      source[static_cast<size_t>(e)] = pick();
    }
    for (int64_t i = 0; i < nodes; ++i)
      offsets[static_cast<size_t>(i) + 1] += offsets[static_cast<size_t>(i)];
  }
};

void spmm(benchmark::State& state) {
  const int64_t nodes = state.range(0), edges = state.range(1), features = 64;
  const Graph graph(nodes, edges);
  const Array<float> x = floats(nodes * features), weight = floats(edges),
                     out = array<float>(nodes * features);
  run_kernel(state, kWeightedSum,
             {x.get(), weight.get(), graph.source.get(), graph.offsets.get(), out.get()},
             {nodes, features}, static_cast<double>(edges));
}
BENCHMARK(spmm)->Args({37700, 578000})->Args({1 << 20, 1 << 23});

#ifdef __x86_64__
#define NFX_WIDE __attribute__((target("avx2")))
#else
#define NFX_WIDE
#endif
using Vector = float __attribute__((vector_size(32)));

// Every gathered row of 64 floats read once, prefetched 16 edges ahead.
NFX_WIDE void gather_rows(const float* x, const int64_t* source, int64_t edges, float* out) {
  Vector sums[8] = {};
  for (int64_t e = 0; e < edges; ++e) {
    const float* next = x + source[std::min(e + 16, edges - 1)] * 64;
    for (int k = 0; k < 64; k += 16) __builtin_prefetch(next + k);
    const auto* row = reinterpret_cast<const Vector*>(x + source[e] * 64);
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k) sums[k] += row[k];
  }
  std::memcpy(out, sums, sizeof sums);
}

// The limit of what gathers rows.
void prefetched_gather(benchmark::State& state) {
  const int64_t nodes = state.range(0), edges = state.range(1);
  const Graph graph(nodes, edges);
  const Array<float> x = floats(nodes * 64);
  float sums[64];
  for (auto _ : state) {
    gather_rows(x.get(), graph.source.get(), edges, sums);
    benchmark::DoNotOptimize(sums);
  }
  state.counters["ns"] = benchmark::Counter(
      static_cast<double>(edges) * 1e-9,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(prefetched_gather)->Args({37700, 578000})->Args({1 << 20, 1 << 23});

// Kernel to callable code; each round in a fresh Jit, so that no cache serves it.
void compile_cold(benchmark::State& state, const char* text) {
  const Kernel kernel = must(parse_kernel(text));
  for (auto _ : state) {
    state.PauseTiming();
    const std::unique_ptr<Jit> fresh = must(Jit::create());
    state.ResumeTiming();
    benchmark::DoNotOptimize(must(fresh->compile(kernel)));
  }
}
BENCHMARK_CAPTURE(compile_cold, chain, kChain)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compile_cold, softmax, kSoftmax)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compile_cold, layer_norm, kLayerNorm)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compile_cold, bias_gelu, kBiasGelu)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compile_cold, spmm, kWeightedSum)->Unit(benchmark::kMillisecond);

void load_cached(benchmark::State& state) {
  const Kernel kernel = must(parse_kernel(kSoftmax));
  const std::string folder =
      std::filesystem::temp_directory_path() / ("nfx-bench-" + std::to_string(::getpid()));
  benchmark::DoNotOptimize(must(must(Jit::create({.cache_dir = folder}))->compile(kernel)));
  for (auto _ : state) {
    state.PauseTiming();
    const std::unique_ptr<Jit> fresh = must(Jit::create({.cache_dir = folder}));
    state.ResumeTiming();
    benchmark::DoNotOptimize(must(fresh->compile(kernel)));
  }
  std::filesystem::remove_all(folder);
}
BENCHMARK(load_cached)->Unit(benchmark::kMillisecond);

void create_jit(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(must(Jit::create()));
}
BENCHMARK(create_jit)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace nfx

BENCHMARK_MAIN();
