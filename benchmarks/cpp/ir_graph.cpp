// The graph at a million nodes: building, walking, verifying, printing, parsing,
// memory, and how the cost of edits grows from 1k to 1M nodes. The last lines
// give the log-log slopes (1 is linear) and the bytes of a node.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <climits>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace nfx {
namespace {

constexpr int64_t kMillion = 1'000'000;

const std::vector<std::string>& names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> made;
    for (int64_t i = 0; i < kMillion; ++i) made.push_back("node_" + std::to_string(i));
    return made;
  }();
  return all;
}

// A chain with skip connections: add(previous, earlier, alpha=k) and relu in
// turns, types of ten shapes.
std::unique_ptr<Graph> build(int64_t count, const std::shared_ptr<Context>& context) {
  auto graph = std::make_unique<Graph>(context);
  std::vector<TypeId> types;
  for (int64_t i = 0; i < 10; ++i) {
    const SymExprId sizes[] = {sym_symbol(*context, "s0"), sym_int(*context, 64 + i)};
    types.push_back(contiguous_tensor(*context, Dtype::kFloat32, sizes));
  }
  const ArgId hole = context->hole();
  const ArgId one[] = {hole};
  const ArgId two[] = {hole, hole};
  std::vector<ArgId> adds;
  for (int64_t alpha = 0; alpha < 100; ++alpha) {
    const ArgId keywords[] = {context->string("alpha"), context->integer(alpha)};
    adds.push_back(context->call(two, context->sequence(ArgKind::kDict, keywords)));
  }
  const ArgId relu = context->call(one);
  Node previous = graph->add(NodeKind::kPlaceholder, "x", context->call({}), {}, "x", types[0]);
  Node earlier = previous;
  for (int64_t i = 0; i < count - 2; ++i) {
    const std::string& name = names()[static_cast<size_t>(i)];
    const TypeId type = types[static_cast<size_t>(i % 10)];
    const Node operands[] = {previous, earlier};
    const Node next = i % 2 == 0
                          ? graph->add(NodeKind::kCallFunction, "aten.add.Tensor",
                                       adds[static_cast<size_t>(i % 100)], operands, name, type)
                          : graph->add(NodeKind::kCallFunction, "aten.relu.default", relu,
                                       std::span(operands).first(1), name, type);
    if (i % 7 == 0) earlier = previous;
    previous = next;
  }
  const Node last[] = {previous};
  graph->add(NodeKind::kOutput, "output", relu, last, "output");
  return graph;
}

const Graph& million() {
  static const std::unique_ptr<Graph> graph = build(kMillion, std::make_shared<Context>());
  return *graph;
}

void build_graph(benchmark::State& state) {
  names();
  for (auto _ : state) {
    auto graph = build(state.range(0), std::make_shared<Context>());
    benchmark::DoNotOptimize(graph);
    state.PauseTiming();
    graph.reset();
    state.ResumeTiming();
  }
}
BENCHMARK(build_graph)->Arg(kMillion)->Unit(benchmark::kMillisecond);

void walk_graph(benchmark::State& state) {
  const Graph& graph = million();
  for (auto _ : state) {
    uint64_t sum = 0;
    for (const Node node : graph.nodes()) {
      for (uint32_t i = 0; i < node.num_operands(); ++i) sum += node.operand(i).type_id().value;
      for (const Use use : graph.uses(node)) sum += use.index;
    }
    benchmark::DoNotOptimize(sum);
  }
}
BENCHMARK(walk_graph)->Unit(benchmark::kMillisecond);

void verify_graph(benchmark::State& state) {
  const Graph& graph = million();
  for (auto _ : state) {
    if (!verify(graph)) state.SkipWithError("the graph is broken");
  }
}
BENCHMARK(verify_graph)->Unit(benchmark::kMillisecond);

void print_graph(benchmark::State& state) {
  const Graph& graph = million();
  for (auto _ : state) benchmark::DoNotOptimize(print(graph));
}
BENCHMARK(print_graph)->Unit(benchmark::kMillisecond);

void parse_graph(benchmark::State& state) {
  const std::string text = print(million());
  for (auto _ : state) {
    auto graph = parse(text, std::make_shared<Context>());
    if (!graph) state.SkipWithError(graph.error().str().c_str());
    state.PauseTiming();
    graph = Result<std::unique_ptr<Graph>>(nullptr);
    state.ResumeTiming();
  }
}
BENCHMARK(parse_graph)->Unit(benchmark::kMillisecond);

void clone_graph(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(million().clone());
}
BENCHMARK(clone_graph)->Unit(benchmark::kMillisecond);

// Each edit touches every node of a graph once, so linear growth of a run means
// constant cost of an edit.
template <class Edit>
void edit_graph(benchmark::State& state, const Edit& edit) {
  names();
  for (auto _ : state) {
    state.PauseTiming();
    auto graph = build(state.range(0), std::make_shared<Context>());
    state.ResumeTiming();
    edit(*graph);
    state.PauseTiming();
    graph.reset();
    state.ResumeTiming();
  }
}

// Names of nodes to insert, in the context beforehand: what text costs is seen
// in `insert_and_name`.
std::vector<StringId> new_names(Graph& graph) {
  std::vector<StringId> made;
  for (size_t i = 0; i < graph.size(); ++i) {
    made.push_back(graph.context().intern("new_" + std::to_string(i)));
  }
  return made;
}

// One node before each node.
void insert_nodes(benchmark::State& state) {
  edit_graph(state, [&](Graph& graph) {
    state.PauseTiming();
    const std::vector<StringId> made = new_names(graph);
    const StringId target = graph.context().intern("aten.neg.default");
    const ArgId hole[] = {graph.context().hole()};
    const ArgId arguments = graph.context().call(hole);
    state.ResumeTiming();
    size_t count = 0;
    for (const Node node : graph.nodes()) {
      if (node.num_operands() == 0) continue;
      graph.set_insertion_point(node);
      const Node operand[] = {node.operand(0)};
      graph.add_named(NodeKind::kCallFunction, target, arguments, operand, made[count++]);
    }
  });
}

// All at one place: labels run out and are spread again and again.
void insert_at_one_place(benchmark::State& state) {
  edit_graph(state, [&](Graph& graph) {
    state.PauseTiming();
    const std::vector<StringId> made = new_names(graph);
    const StringId target = graph.context().intern("aten.neg.default");
    const ArgId hole[] = {graph.context().hole()};
    const ArgId arguments = graph.context().call(hole);
    const Node operand[] = {graph.first()};
    graph.set_insertion_point(operand[0].next());
    state.ResumeTiming();
    for (const StringId name : made) {
      graph.add_named(NodeKind::kCallFunction, target, arguments, operand, name);
    }
  });
}

// One node before each node, whose name is found (`neg_1`, `neg_2`, ...).
void insert_and_name(benchmark::State& state) {
  edit_graph(state, [](Graph& graph) {
    for (const Node node : graph.nodes()) {
      if (node.num_operands() == 0) continue;
      graph.set_insertion_point(node);
      graph.call("aten.neg.default", {node.operand(0)});
    }
  });
}

void replace_all_uses(benchmark::State& state) {
  edit_graph(state, [](Graph& graph) {
    for (const Node node : graph.nodes()) {
      if (node.num_operands() > 0) graph.replace_all_uses(node, node.operand(0));
    }
  });
}

void erase_nodes(benchmark::State& state) {
  edit_graph(state, [](Graph& graph) {
    for (Node node = graph.last(); node;) {
      const Node prev = node.prev();
      graph.erase(node);
      node = prev;
    }
  });
}

void sizes(benchmark::internal::Benchmark* edit) {
  edit->RangeMultiplier(10)->Range(1000, kMillion)->Unit(benchmark::kMillisecond);
}
BENCHMARK(insert_nodes)->Apply(sizes);
BENCHMARK(insert_at_one_place)->Apply(sizes);
BENCHMARK(insert_and_name)->Apply(sizes);
BENCHMARK(replace_all_uses)->Apply(sizes);
BENCHMARK(erase_nodes)->Apply(sizes);

// Keeps the times of runs with a size, to fit their growth.
class SlopeReporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      if (run.error_occurred || run.run_name.args.empty()) continue;
      times_[run.run_name.function_name].emplace_back(std::log(std::stod(run.run_name.args)),
                                                      std::log(run.GetAdjustedCPUTime()));
    }
  }
  void print_slopes() const {
    for (const auto& [name, points] : times_) {
      if (points.size() < 3) continue;
      std::printf("slope %-22s %.3f  (bar 1.1)\n", name.c_str(), slope(points));
    }
  }

 private:
  using Points = std::vector<std::pair<double, double>>;
  static double slope(const Points& points) {  // least squares
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (const auto& [a, b] : points) {
      n += 1, x += a, y += b, xx += a * a, xy += a * b;
    }
    return (n * xy - x * y) / (n * xx - x * x);
  }
  std::map<std::string, Points> times_;
};

size_t allocated() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;  // in heaps, and mapped by themselves
}

// The text of names is in the context before, so that it does not count.
void print_memory() {
  const auto context = std::make_shared<Context>();
  for (const std::string& name : names()) context->intern(name);
  const size_t before = allocated();
  const auto graph = build(kMillion, context);
  std::printf("bytes a node, without names %zu  (bar 256)\n",
              (allocated() - before) / static_cast<size_t>(kMillion));
}

}  // namespace
}  // namespace nfx

int main(int argc, char** argv) {
  // Freed memory stays with the process: the kernel's cost of a fresh page is no
  // part of what is measured.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  benchmark::Initialize(&argc, argv);
  nfx::SlopeReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  reporter.print_slopes();
  nfx::print_memory();
  return 0;
}
