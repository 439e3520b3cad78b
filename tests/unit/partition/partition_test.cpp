#include "partition/partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "partition/hazards.h"
#include "partition/random_dag.h"

namespace nfx {
namespace {

using testing::backend_names;
using testing::Dag;
using testing::DagOptions;
using testing::new_context;
using testing::random_dag;

std::unique_ptr<Graph> parsed(std::string_view text) {
  auto graph = parse(text, new_context());
  EXPECT_TRUE(graph.ok()) << (graph ? "" : graph.error().str());
  return graph ? std::move(*graph) : nullptr;
}

// Takes the targets in a list.
class Taker final : public Backend {
 public:
  Taker(std::string name, std::set<std::string> targets)
      : name_(std::move(name)), targets_(std::move(targets)) {}
  std::string_view name() const override { return name_; }
  Support supports(Node node) override {
    if (targets_.contains(std::string(node.target()))) return {true, {}};
    return {false, "not in the list"};
  }

 private:
  std::string name_;
  std::set<std::string> targets_;
};

// Edges of data and of hazards, between units: nodes outside regions, and regions.
using Edges = std::set<std::pair<int, int>>;
Edges unit_edges(const Graph& graph, const Partition& partition) {
  auto unit = [&](NodeId id) {
    const int region = partition.region_of[id.value];
    return region >= 0 ? -1 - region : static_cast<int>(id.value);
  };
  Edges edges;
  auto connect = [&](NodeId from, NodeId to) {
    if (unit(from) != unit(to)) edges.insert({unit(from), unit(to)});
  };
  for (const Node node : graph.nodes()) {
    for (uint32_t i = 0; i < node.num_operands(); ++i) connect(node.operand(i).id(), node.id());
  }
  for (const auto& [earlier, later] : hazards(graph)) connect(earlier, later);
  return edges;
}

bool is_acyclic(const Edges& edges) {
  std::map<int, std::vector<int>> next;
  std::map<int, int> waiting;
  for (const auto& [from, to] : edges) {
    next[from].push_back(to);
    ++waiting[to];
    waiting.try_emplace(from, 0);
  }
  std::vector<int> ready;
  for (const auto& [unit, count] : waiting) {
    if (count == 0) ready.push_back(unit);
  }
  size_t done = 0;
  while (!ready.empty()) {
    const int unit = ready.back();
    ready.pop_back();
    ++done;
    for (int user : next[unit]) {
      if (--waiting[user] == 0) ready.push_back(user);
    }
  }
  return done == waiting.size();
}

std::string describe(const Partition& partition) {
  std::string text;
  for (const Region& region : partition.regions) {
    text += region.name + ":";
    for (Node node : region.nodes) text += " " + std::string(node.name());
    text += " <-";
    for (Node node : region.inputs) text += " " + std::string(node.name());
    text += " ->";
    for (Node node : region.outputs) text += " " + std::string(node.name());
    text += "\n";
  }
  return text;
}

TEST(Partition, BoundaryAndOrder) {
  const auto graph = parsed(R"(graph @main {
  %x = placeholder "x"
  %a = call aten.neg.default(%x)
  %b = call aten.add.Tensor(%a, %x)
  %c = call aten.neg.default(%b)
  %d = call aten.add.Tensor(%c, %b)
  output(%d)
}
)");
  Taker taker("t", {"aten.add.Tensor"});
  const Partition result = partition(*graph, {&taker});
  EXPECT_EQ(describe(result), "t_0: b <- a x -> b\nt_1: d <- c b -> d\n");
  EXPECT_EQ(result.refusals[graph->find("a").id().value],
            std::vector<std::string>{"t: not in the list"});
}

TEST(Partition, TheFirstBackendThatSaysYesGetsTheNode) {
  const auto graph = parsed(R"(graph @main {
  %x = placeholder "x"
  %a = call aten.neg.default(%x)
  %b = call aten.add.Tensor(%a, %x)
  output(%b)
}
)");
  Taker first("first", {"aten.neg.default"}),
      second("second", {"aten.neg.default", "aten.add.Tensor"});
  const Partition result = partition(*graph, {&first, &second});
  EXPECT_EQ(describe(result), "first_0: a <- x -> a\nsecond_0: b <- a x -> b\n");
}

TEST(Partition, AnElementStaysWithItsTuple) {
  const auto graph = parsed(R"(graph @main {
  %x = placeholder "x"
  %t = call aten.var_mean.correction(%x) : (float32[4], float32[4])
  %a = call operator.getitem(%t, 0)
  %w = call aten.add_.Tensor(%a, %x)
  %b = call operator.getitem(%t, 1)
  output(%b)
}
)");
  Taker taker("t", {"aten.var_mean.correction"});
  const Partition result = partition(*graph, {&taker});
  EXPECT_EQ(describe(result), "t_0: t a b <- x -> a b\n");
}

struct Shape {
  const char* name;
  DagOptions options;
};
class RandomGraphs : public ::testing::TestWithParam<Shape> {};

TEST_P(RandomGraphs, AcyclicCompleteDeterministic) {
  const DagOptions& options = GetParam().options;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    const Dag dag = random_dag(seed, options);
    const Dag again = random_dag(seed, options);
    for (const bool connected : {false, true}) {
      const PartitionOptions chosen{.connected_only = connected};
      const Partition result =
          partition(*dag.graph, dag.claims, backend_names(options.backends), chosen);
      ASSERT_TRUE(is_acyclic(unit_edges(*dag.graph, result))) << "seed " << seed;
      for (const Node node : dag.graph->nodes()) {
        const int region = result.region_of[node.id().value];
        const int claim = dag.claims[node.id().value];
        ASSERT_EQ(region >= 0, claim >= 0) << "seed " << seed;
        if (region < 0) continue;
        ASSERT_EQ(result.regions[static_cast<size_t>(region)].backend, claim) << "seed " << seed;
      }
      // Regions come in an order in which they can run.
      for (const auto& [from, to] : unit_edges(*dag.graph, result)) {
        if (from >= 0 || to >= 0) continue;
        ASSERT_LT(-1 - from, -1 - to) << "seed " << seed;
      }
      ASSERT_EQ(describe(result), describe(partition(*again.graph, again.claims,
                                                     backend_names(options.backends), chosen)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Partition, RandomGraphs,
    ::testing::Values(Shape{"Pure", {.nodes = 40, .unsupported = 0.3}},
                      Shape{"FewUnsupported", {.nodes = 60, .unsupported = 0.05}},
                      Shape{"Effects", {.nodes = 40, .unsupported = 0.3, .effects = true}},
                      Shape{"ThreeBackends",
                            {.nodes = 40, .unsupported = 0.2, .effects = true, .backends = 3}}),
    [](const auto& param) { return std::string(param.param.name); });

// The least number of regions of any acyclic division of a two-coloured graph:
// claimed nodes on a path with unclaimed ones between them cannot be together, so
// it is the largest number of claimed segments on a path.
int most_segments_on_a_path(const Graph& graph, const std::vector<int>& claims) {
  std::vector<int> segments(graph.id_limit(), 0);
  int most = 0;
  for (const Node node : graph.nodes()) {
    const bool claimed = claims[node.id().value] >= 0;
    int& own = segments[node.id().value];
    own = claimed ? 1 : 0;
    for (uint32_t i = 0; i < node.num_operands(); ++i) {
      const uint32_t source = node.operand(i).id().value;
      own = std::max(own, segments[source] + (claimed && claims[source] < 0 ? 1 : 0));
    }
    most = std::max(most, own);
  }
  return most;
}

TEST(Partition, FewestRegionsOfTwoColours) {
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    const Dag dag = random_dag(seed, {.nodes = 50, .unsupported = 0.1 * (1 + seed % 5)});
    const Partition result = partition(*dag.graph, dag.claims, {"b"});
    EXPECT_EQ(static_cast<int>(result.regions.size()),
              most_segments_on_a_path(*dag.graph, dag.claims))
        << "seed " << seed;
  }
}

TEST(Partition, ConnectedOnlyNeverJoinsUnrelatedParts) {
  const auto graph = parsed(R"(graph @main {
  %x = placeholder "x"
  %y = placeholder "y"
  %a = call aten.neg.default(%x)
  %b = call aten.neg.default(%y)
  %c = call aten.neg.default(%a)
  %d = call aten.neg.default(%b)
  output((%c, %d))
}
)");
  Taker taker("t", {"aten.neg.default"});
  EXPECT_EQ(partition(*graph, {&taker}).regions.size(), 1U);
  EXPECT_EQ(describe(partition(*graph, {&taker}, {.connected_only = true})),
            "t_0: a c <- x -> c\nt_1: b d <- y -> d\n");
}

TEST(Partition, SmallRegionsGoBack) {
  const auto graph = parsed(R"(graph @main {
  %x = placeholder "x"
  %a = call aten.neg.default(%x)
  %b = call aten.exp.default(%a)
  %c = call aten.neg.default(%b)
  %d = call aten.neg.default(%c)
  output(%d)
}
)");
  Taker taker("t", {"aten.neg.default"});
  const Partition result = partition(*graph, {&taker}, {.min_nodes = 2});
  EXPECT_EQ(describe(result), "t_0: c d <- b -> d\n");
  EXPECT_EQ(result.region_of[graph->find("a").id().value], -1);
}

TEST(Partition, NothingToDivide) {
  const auto graph = parsed("graph @main {\n  %x = placeholder \"x\"\n  output(%x)\n}\n");
  Taker taker("t", {"aten.neg.default"});
  EXPECT_TRUE(partition(*graph, {&taker}).regions.empty());
  EXPECT_TRUE(partition(*graph, std::vector<Backend*>{}).regions.empty());
}

}  // namespace
}  // namespace nfx
