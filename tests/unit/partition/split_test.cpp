#include "partition/split.h"

#include <gtest/gtest.h>

#include "partition/random_dag.h"

namespace nfx {
namespace {

std::unique_ptr<Graph> parsed(std::string_view text) {
  auto graph = parse(text, testing::new_context());
  EXPECT_TRUE(graph.ok()) << (graph ? "" : graph.error().str());
  return graph ? std::move(*graph) : nullptr;
}

Partition partition_of(const Graph& graph, std::initializer_list<std::string_view> taken) {
  std::vector<int> claims(graph.id_limit(), kUnclaimed);
  for (const Node node : graph.nodes()) {
    for (const std::string_view target : taken) {
      if (node.target() == target) claims[node.id().value] = 0;
    }
  }
  return partition(graph, claims, {"a"});
}

std::string code_of(const Status& status) { return status ? "" : status.error().code; }

constexpr std::string_view kGraph = R"(graph @main {
  %x = placeholder "x" : float32[4]
  %a = call aten.neg.default(%x) : float32[4]
  %b = call aten.add.Tensor(%a, 1) : float32[4]
  %c = call aten.mul.Tensor(%b, %a) : float32[4]
  %d = call aten.exp.default(%c) : float32[4]
  output((%d, %b))
}
)";

TEST(Split, ARegionBecomesACallOfAGraph) {
  const auto graph = parsed(kGraph);
  split(*graph, partition_of(*graph, {"aten.add.Tensor", "aten.mul.Tensor"}));
  EXPECT_TRUE(verify(*graph).ok());
  EXPECT_EQ(print(*graph), R"(graph @main {
  attribute "a_0" = graph @a_0 {
    %a = placeholder "a" : float32[4]
    %b = call aten.add.Tensor(%a, 1) : float32[4]
    %c = call aten.mul.Tensor(%b, %a) : float32[4]
    output((%b, %c))
  }
  %x = placeholder "x" : float32[4]
  %a = call aten.neg.default(%x) : float32[4]
  %a_0 = module "a_0"(%a) : (float32[4], float32[4])
  %a_0_0 = call operator.getitem(%a_0, 0) : float32[4]
  %a_0_1 = call operator.getitem(%a_0, 1) : float32[4]
  %d = call aten.exp.default(%a_0_1) : float32[4]
  output((%d, %a_0_0))
}
)");
}

TEST(Split, InliningGivesTheGraphBack) {
  const auto graph = parsed(kGraph);
  const auto original = graph->clone();
  const NodeArrangement order =
      split(*graph, partition_of(*graph, {"aten.add.Tensor", "aten.exp.default"}));
  ASSERT_TRUE(inline_calls(*graph, order).ok());
  std::string difference;
  EXPECT_TRUE(equal(*graph, *original, &difference)) << difference;
}

class SplitRandom : public ::testing::TestWithParam<int> {};

TEST_P(SplitRandom, InliningGivesTheGraphBack) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const testing::Dag dag =
        testing::random_dag(seed, {.nodes = 60, .effects = seed % 2 == 0, .backends = GetParam()});
    Graph& graph = *dag.graph;
    const auto original = graph.clone();
    const NodeArrangement order =
        split(graph, partition(graph, dag.claims, testing::backend_names(GetParam())));
    ASSERT_TRUE(verify(graph).ok()) << verify(graph).error().str();
    ASSERT_TRUE(inline_calls(graph, order).ok());
    std::string difference;
    ASSERT_TRUE(equal(graph, *original, &difference)) << "seed " << seed << "\n" << difference;
  }
}
INSTANTIATE_TEST_SUITE_P(Backends, SplitRandom, ::testing::Values(1, 2, 3));

TEST(Inline, RegionsInsideRegions) {
  const auto graph = parsed(kGraph);
  const auto original = graph->clone();
  const NodeArrangement order =
      split(*graph, partition_of(*graph, {"aten.add.Tensor", "aten.mul.Tensor"}));
  Graph& inside = *graph->attributes().find("a_0")->second.subgraph;
  split(inside, partition_of(inside, {"aten.mul.Tensor"}));
  ASSERT_TRUE(inline_calls(*graph, order).ok());
  std::string difference;
  EXPECT_TRUE(equal(*graph, *original, &difference)) << difference;
}

TEST(Inline, ANameThatIsTakenGetsANumber) {
  const auto graph = parsed(kGraph);
  split(*graph, partition_of(*graph, {"aten.mul.Tensor"}));
  graph->set_name(graph->find("x"), "c");
  ASSERT_TRUE(inline_calls(*graph).ok());
  EXPECT_TRUE(verify(*graph).ok());
  EXPECT_TRUE(graph->find("c_1"));
}

TEST(Inline, RefusesWhatIsNoCall) {
  const auto graph = parsed(kGraph);
  EXPECT_EQ(code_of(inline_call(*graph, graph->find("a"))), "not-a-call");
}

TEST(Inline, RefusesAnotherNumberOfInputs) {
  const auto graph = parsed(kGraph);
  split(*graph, partition_of(*graph, {"aten.mul.Tensor"}));
  const Node call = graph->find("a_0");
  graph->set_arguments(call, graph->context().call({}), {});
  const std::string before = print(*graph);
  EXPECT_EQ(code_of(inline_call(*graph, call)), "call-mismatch");
  EXPECT_EQ(print(*graph), before);
}

TEST(Inline, RefusesAUseOfTheWholeResult) {
  const auto graph = parsed(kGraph);
  split(*graph, partition_of(*graph, {"aten.mul.Tensor"}));
  const Node call = graph->find("a_0");
  graph->set_operand(graph->output(), 0, call);
  EXPECT_EQ(code_of(inline_call(*graph, call)), "call-mismatch");
}

}  // namespace
}  // namespace nfx
