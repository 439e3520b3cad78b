// Kernels over the edges of a graph, one thread: nanoseconds an edge as the
// counter `ns`, and as `share` the time of a plain prefetched gather of the same
// rows, measured around it, as a part of the kernel's. 64 features.
//
//   build/release/bench/edge_kernels [--benchmark_filter=gat]
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "arrays.h"
#include "jit/jit.h"
#include "loop/normaliser.h"
#include "loop/parse.h"

namespace nfx {
namespace {

constexpr int64_t kFeatures = 64;

constexpr char kSum[] = R"(
kernel sum(b0: float32 in, b1: float32 out, b2: int64 in, b3: int64 in; s0: int64)
dim i = dense(s0)
dim f = dense(64)
dim e = ragged(i, b3)
rows i f
stage reduce e
  r0 = sum(load b0[load b2[e]*64 + f])
  store b1[i*64 + f] = r0
)";
constexpr char kMean[] = R"(
kernel mean(b0: float32 in, b1: float32 out, b2: int64 in, b3: int64 in; s0: int64)
dim i = dense(s0)
dim f = dense(64)
dim e = ragged(i, b3)
rows i f
stage reduce e
  r0 = sum(load b0[load b2[e]*64 + f])
  store b1[i*64 + f] = r0/float32(max(load b3[i + 1] - load b3[i], 1))
)";
constexpr char kMax[] = R"(
kernel max(b0: float32 in, b1: float32 out, b2: int64 in, b3: int64 in; s0: int64)
dim i = dense(s0)
dim f = dense(64)
dim e = ragged(i, b3)
rows i f
stage reduce e
  r0 = max(load b0[load b2[e]*64 + f])
  store b1[i*64 + f] = r0
)";
constexpr char kWeightedSum[] = R"(
kernel weighted_sum(b0: float32 in, b1: float32 out, b2: int64 in, b3: int64 in, b4: float32 in; s0: int64)
dim i = dense(s0)
dim f = dense(64)
dim e = ragged(i, b3)
rows i f
stage reduce e
  r0 = sum(load b4[e]*load b0[load b2[e]*64 + f])
  store b1[i*64 + f] = r0
)";
// Attention with 8 heads of 8: logits from the scores of both ends (b4, b5).
constexpr char kGat[] = R"(
kernel gat(b0: float32 in, b1: float32 out, b2: int64 in, b3: int64 in, b4: float32 in, b5: float32 in; s0: int64)
dim i = dense(s0)
dim h = dense(8)
dim e = ragged(i, b3)
dim f = dense(8)
rows i h
stage reduce e
  let t0 = load b4[load b2[e]*8 + h] + load b5[i*8 + h]
  let t1 = select(gt(t0, 0.0f), t0, t0*0.2f)
  r0 = max(t1)
stage reduce e
  r1 = sum(exp(t1 - r0))
stage map f reduce e
  r2 = sum(exp(t1 - r0)/r1*load b0[load b2[e]*64 + h*8 + f])
  store b1[i*64 + h*8 + f] = r2
)";
// One head of 64.
constexpr char kGatOneHead[] = R"(
kernel gat_one_head(b0: float32 in, b1: float32 out, b2: int64 in, b3: int64 in, b4: float32 in, b5: float32 in; s0: int64)
dim i = dense(s0)
dim e = ragged(i, b3)
dim f = dense(64)
rows i
stage reduce e
  let t0 = load b4[load b2[e]] + load b5[i]
  let t1 = select(gt(t0, 0.0f), t0, t0*0.2f)
  r0 = max(t1)
stage reduce e
  r1 = sum(exp(t1 - r0))
stage map f reduce e
  r2 = sum(exp(t1 - r0)/r1*load b0[load b2[e]*64 + f])
  store b1[i*64 + f] = r2
)";

struct Graph {
  int64_t nodes, edges;
  Array<int64_t> source, offsets;

  // Counting sort by destination; stable.
  Graph(int64_t count, const std::vector<std::pair<int32_t, int32_t>>& ends)
      : nodes(count),
        edges(static_cast<int64_t>(ends.size())),
        source(array<int64_t>(edges)),
        offsets(array<int64_t>(nodes + 1)) {
    for (const auto& end : ends) ++offsets[static_cast<size_t>(end.second) + 1];
    for (int64_t i = 0; i < nodes; ++i) {
      offsets[static_cast<size_t>(i) + 1] += offsets[static_cast<size_t>(i)];
    }
    std::vector<int64_t> next(offsets.get(), offsets.get() + nodes);
    for (const auto& end : ends) {
      source[static_cast<size_t>(next[static_cast<size_t>(end.second)]++)] = end.first;
    }
  }
};

using Ends = std::vector<std::pair<int32_t, int32_t>>;

// Degrees of a power law, as in a social network; names of nodes are shuffled.
Graph power_law(int32_t nodes, int64_t edges) {
  std::mt19937_64 engine(1);
  std::vector<int32_t> names(static_cast<size_t>(nodes));
  for (int32_t k = 0; k < nodes; ++k) names[static_cast<size_t>(k)] = k;
  std::shuffle(names.begin(), names.end(), engine);
  std::uniform_real_distribution<double> uniform;
  const auto pick = [&] {
    const double at = std::pow(uniform(engine), 2.0) * nodes;
    return names[static_cast<size_t>(at)];
  };
  Ends ends;
  for (int64_t e = 0; e < edges; ++e) ends.emplace_back(pick(), pick());
  return Graph(nodes, ends);
}

// Chakrabarti, Zhan and Faloutsos, "R-MAT", 2004; the Graph 500 parameters.
Graph r_mat(int scale, int64_t edges) {
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> uniform;
  Ends ends;
  for (int64_t e = 0; e < edges; ++e) {
    int32_t row = 0, column = 0;
    for (int bit = 0; bit < scale; ++bit) {
      const double at = uniform(engine);
      row = row * 2 + (at >= 0.76 ? 1 : 0);
      column = column * 2 + ((at >= 0.57 && at < 0.76) || at >= 0.95 ? 1 : 0);
    }
    ends.emplace_back(row, column);
  }
  return Graph(int64_t{1} << scale, ends);
}

const Graph& graph(int64_t which) {
  static const Graph social = power_law(40000, 600000);
  if (which == 0) return social;
  static const Graph large = r_mat(20, 8000000);
  return large;
}

#ifdef __x86_64__
#define NFX_WIDE __attribute__((target("avx2")))
#else
#define NFX_WIDE
#endif
using Vector = float __attribute__((vector_size(32)));

// Every gathered row read once, prefetched 16 edges ahead: the limit.
NFX_WIDE void gather_rows(const float* x, const Graph& graph, float* out) {
  Vector sums[8] = {};
  for (int64_t e = 0; e < graph.edges; ++e) {
    const auto ahead = static_cast<size_t>(std::min(e + 16, graph.edges - 1));
    const float* next = x + graph.source[ahead] * kFeatures;
    for (int k = 0; k < kFeatures; k += 16) __builtin_prefetch(next + k);
    const auto* row =
        reinterpret_cast<const Vector*>(x + graph.source[static_cast<size_t>(e)] * kFeatures);
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k) sums[k] += row[k];
  }
  std::memcpy(out, sums, sizeof sums);
}

// Of this thread, so that what else runs on the machine disturbs little.
double cpu_nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

template <class Run>
double best_nanoseconds(int rounds, Run run) {
  double best = 1e30;
  for (int k = 0; k < rounds; ++k) {
    const double start = cpu_nanoseconds();
    run();
    best = std::min(best, cpu_nanoseconds() - start);
  }
  return best;
}

// Where NFX_DUMP says, machine code is written.
std::string dump_dir() {
  const char* folder = std::getenv("NFX_DUMP");
  return folder == nullptr ? "" : folder;
}

// The best of several rounds of each, taken in turns.
void edges(benchmark::State& state, const char* text) {
  JitOptions options;
  options.dump_dir = dump_dir();
  static const std::unique_ptr<Jit> jit = must(Jit::create(options));
  const Graph& g = graph(state.range(0));
  const Array<float> x = floats(g.nodes * kFeatures), out = array<float>(g.nodes * kFeatures),
                     sources = floats(std::max(g.nodes * 8, g.edges)), ends = floats(g.nodes * 8);
  Kernel kernel = must(parse_kernel(text));
  divide_sums_last(kernel);  // as fusion does
  const auto code = must(jit->compile(kernel));
  std::vector<void*> buffers = {x.get(), out.get(), g.source.get(), g.offsets.get()};
  if (kernel.buffers.size() > 4) buffers.push_back(sources.get());
  if (kernel.buffers.size() > 5) buffers.push_back(ends.get());
  const std::vector<int64_t> scalars = {g.nodes};
  const int64_t items = work_items(kernel, code->schedule, scalars.data());
  float sums[kFeatures];
  double limit = 1e30, taken = 1e30;
  for (auto _ : state) {
    limit = std::min(limit, best_nanoseconds(2, [&] { gather_rows(x.get(), g, sums); }));
    taken = std::min(
        taken, best_nanoseconds(2, [&] { code->run(buffers.data(), scalars.data(), 0, items); }));
    benchmark::DoNotOptimize(sums);
    benchmark::ClobberMemory();
  }
  state.counters["ns"] = taken / static_cast<double>(g.edges);
  state.counters["gather"] = limit / static_cast<double>(g.edges);
  state.counters["share"] = limit / taken;
}
BENCHMARK_CAPTURE(edges, sum, kSum)->Arg(0)->Arg(1);
BENCHMARK_CAPTURE(edges, mean, kMean)->Arg(0)->Arg(1);
BENCHMARK_CAPTURE(edges, max, kMax)->Arg(0)->Arg(1);
BENCHMARK_CAPTURE(edges, weighted_sum, kWeightedSum)->Arg(0)->Arg(1);
BENCHMARK_CAPTURE(edges, gat, kGat)->Arg(0)->Arg(1);
BENCHMARK_CAPTURE(edges, gat_one_head, kGatOneHead)->Arg(0)->Arg(1);

}  // namespace
}  // namespace nfx

BENCHMARK_MAIN();
