// Random graphs for tests of the partitioner.
#pragma once
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "ops/op_table.h"

namespace nfx::testing {

inline const OpTable& rows() {
  static const SchemaOpTable table({
      "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
      "aten::bernoulli(Tensor self, *, Generator? generator=None) -> Tensor",
      "aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)",
  });
  return table;
}

inline std::shared_ptr<Context> new_context() { return std::make_shared<Context>(&rows()); }

struct DagOptions {
  size_t nodes = 40;
  double unsupported = 0.3;
  bool effects = false;  // some nodes write, view or draw
  int backends = 1;
};

// A graph and who claims each node (by NodeId).
struct Dag {
  std::unique_ptr<Graph> graph;
  std::vector<int> claims;
};

inline Dag random_dag(uint64_t seed, const DagOptions& options) {
  std::mt19937_64 random(seed);
  auto below = [&](size_t limit) { return static_cast<size_t>(random() % limit); };
  Dag made{std::make_unique<Graph>(new_context()), {}};
  Graph& graph = *made.graph;
  Context& context = graph.context();
  std::vector<Node> values;
  for (const char* name : {"x", "y"})
    values.push_back(graph.add(NodeKind::kPlaceholder, name, context.call({}), {}, name));
  for (size_t i = 0; i < options.nodes; ++i) {
    const Node a = values[values.size() - 1 - below(std::min<size_t>(values.size(), 6))];
    const Node b = values[below(values.size())];
    switch (options.effects ? below(8) : 7) {
      case 0: values.push_back(graph.call("aten.add_.Tensor", {a, b})); break;
      case 1: values.push_back(graph.call("aten.bernoulli.default", {a})); break;
      case 2: values.push_back(graph.call("aten.view.default", {a, context.integer(1)})); break;
      case 3: values.push_back(graph.call("aten.neg.default", {a})); break;
      default: values.push_back(graph.call("aten.mul.Tensor", {a, b}));
    }
  }
  const ArgId results[] = {context.hole()};
  const Node last[] = {values.back()};
  graph.add(NodeKind::kOutput, "output", context.call(results), last, "output");
  made.claims.assign(graph.id_limit(), -1);
  for (const Node node : graph.nodes()) {
    if (node.kind() != NodeKind::kCallFunction) continue;
    const bool taken = static_cast<double>(random() % 1000) >= 1000 * options.unsupported;
    const auto backend = static_cast<int>(below(static_cast<size_t>(options.backends)));
    made.claims[node.id().value] = taken ? backend : -1;
  }
  return made;
}

inline std::vector<std::string> backend_names(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back("b" + std::to_string(i));
  return names;
}

}  // namespace nfx::testing
