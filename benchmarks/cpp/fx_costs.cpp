// What torch.fx does to a graph, done natively; benchmarks/fx_costs.py runs it
// beside torch.fx. Prints a line "<what> <seconds a node>" for each: processor time,
// the median of several runs on a graph of that many nodes.
//
//   fx_costs 10000
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "ops/op_table.h"
#include "passes/dce.h"
#include "passes/infer_types.h"
#include "rewrite/subgraph_rule.h"

namespace nfx {
namespace {

using GraphPtr = std::unique_ptr<Graph>;

constexpr size_t kRuns = 15;

// Time that this thread ran: what else the machine does is not in it.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::shared_ptr<Context> new_context() {
  static const SchemaOpTable ops;
  return std::make_shared<Context>(&ops);
}

// Prepares a graph and times what is done to it; both are outside of each other.
void measure(const char* what, size_t nodes, const std::function<GraphPtr()>& prepare,
             const std::function<void(GraphPtr&)>& run) {
  std::vector<double> seconds;
  for (size_t i = 0; i < kRuns; ++i) {
    GraphPtr graph = prepare();
    const double start = thread_seconds();
    run(graph);
    seconds.push_back(thread_seconds() - start);
  }
  std::ranges::nth_element(seconds, seconds.begin() + kRuns / 2);
  std::printf("%s %.4g\n", what, seconds[kRuns / 2] / static_cast<double>(nodes));
}

// relu and add of the last two in turns; every tenth pair is sin(cos(x)).
class Builder {
 public:
  Builder(std::shared_ptr<Context> context, bool typed, bool symbolic)
      : graph_(std::make_unique<Graph>(std::move(context))) {
    Context& shared = graph_->context();
    const SymExprId sizes[] = {symbolic ? sym_symbol(shared, "s0") : sym_int(shared, 16),
                               sym_int(shared, 64)};
    const TypeId type = contiguous_tensor(shared, Dtype::kFloat32, sizes);
    if (typed) type_ = type;
    last_ = before_ = graph_->add(NodeKind::kPlaceholder, "x", shared.call({}), {}, "x", type);
  }

  GraphPtr chain(size_t nodes) {
    graph_->reserve(nodes);
    while (graph_->size() + 1 < nodes) {
      if (graph_->size() % 10 == 1) {
        append("aten.cos.default", {last_});
        append("aten.sin.default", {last_});
        before_ = last_;  // nobody else reads the cosine
      } else if (graph_->size() % 2 == 0) {
        append("aten.relu.default", {last_});
      } else {
        append("aten.add.Tensor", {last_, before_});
      }
    }
    const Node result[] = {last_};
    const ArgId hole[] = {graph_->context().hole()};
    graph_->add(NodeKind::kOutput, "output", graph_->context().call(hole), result, "output");
    return std::move(graph_);
  }

  // Every second node is used by nobody.
  GraphPtr with_dead_code(size_t nodes) {
    while (graph_->size() + 1 < nodes) {
      const Node live = last_;
      append("aten.neg.default", {live});
      last_ = live;
      append("aten.relu.default", {live});
    }
    return chain(0);
  }

 private:
  void append(std::string_view target, std::initializer_list<Graph::Operand> operands) {
    const Node next = graph_->call(target, operands, type_);
    before_ = last_, last_ = next;
  }

  GraphPtr graph_;
  TypeId type_;
  Node last_, before_;
};

GraphPtr chain(size_t nodes, bool typed = true, bool symbolic = false) {
  return Builder(new_context(), typed, symbolic).chain(nodes);
}

// Another node before each one, which takes over its uses.
void insert_and_erase(Graph& graph) {
  for (const Node node : graph.nodes()) {
    if (node.kind() != NodeKind::kCallFunction) continue;
    graph.set_insertion_point(node);
    const Node made = graph.call("aten.abs.default", {node.operand(0)}, node.type_id());
    graph.replace_all_uses(node, made);
    graph.erase(node);
  }
  graph.set_insertion_point({});
}

void replace_pattern(Graph& graph) {
  constexpr std::string_view kPattern =
      "graph @p {\n  %x = placeholder \"x\"\n  %c = call aten.cos.default(%x)\n"
      "  %s = call aten.sin.default(%c)\n  output(%s)\n}\n";
  constexpr std::string_view kReplacement =
      "graph @r {\n  %x = placeholder \"x\"\n  %t = call aten.tanh.default(%x)\n  output(%t)\n}\n";
  const auto pattern = parse(kPattern, graph.context_ptr());
  const auto replacement = parse(kReplacement, graph.context_ptr());
  const SubgraphRule rules[] = {
      {.name = "rule", .pattern = pattern->get(), .replacement = replacement->get()}};
  const Result<size_t> applied = apply_subgraph_rules(graph, rules);
  if (!applied || *applied < graph.size() / 12) std::abort();
}

void run(size_t nodes) {
  const auto typed = [&] { return chain(nodes); };
  measure("build", nodes, [] { return GraphPtr(); }, [&](GraphPtr& g) { g = chain(nodes); });
  GraphPtr copy;
  measure("copy", nodes, typed, [&](GraphPtr& g) { copy = g->clone(); });
  measure(
      "dead_code", nodes, [&] { return Builder(new_context(), true, false).with_dead_code(nodes); },
      [](GraphPtr& g) { dce(*g); });
  measure("rewrite_loop", nodes, typed, [](GraphPtr& g) { insert_and_erase(*g); });
  measure("replace_pattern", nodes, typed, [](GraphPtr& g) { replace_pattern(*g); });
  std::string text;
  measure("save", nodes, typed, [&](GraphPtr& g) { text = print(*g); });
  measure(
      "load", nodes, [] { return GraphPtr(); },
      [&](GraphPtr& g) { g = std::move(*parse(text, new_context())); });
  measure(
      "shapes_static", nodes, [&] { return chain(nodes, false); },
      [](GraphPtr& g) { infer_types(*g); });
  measure(
      "shapes_symbolic", nodes, [&] { return chain(nodes, false, true); },
      [](GraphPtr& g) { infer_types(*g); });
}

}  // namespace
}  // namespace nfx

int main(int argc, char** argv) {
  const long nodes = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 10'000;
  if (nodes < 100) {
    std::fprintf(stderr, "usage: fx_costs NODES, at least 100\n");
    return 1;
  }
  nfx::run(static_cast<size_t>(nodes));
  return 0;
}
