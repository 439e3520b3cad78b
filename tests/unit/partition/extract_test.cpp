#include "partition/extract.h"

#include <gtest/gtest.h>

#include <set>

#include "partition/hazards.h"
#include "partition/random_dag.h"

namespace nfx {
namespace {

using testing::Dag;
using testing::random_dag;

std::unique_ptr<Graph> parsed(std::string_view text) {
  auto graph = parse(text, testing::new_context());
  EXPECT_TRUE(graph.ok()) << (graph ? "" : graph.error().str());
  return graph ? std::move(*graph) : nullptr;
}

class Taker final : public Backend {
 public:
  explicit Taker(std::set<std::string> targets) : targets_(std::move(targets)) {}
  std::string_view name() const override { return "t"; }
  Support supports(Node node) override {
    return {targets_.contains(std::string(node.target())), "no"};
  }

 private:
  std::set<std::string> targets_;
};

// One call a region with as many elements as outputs.
std::vector<Node> call(Graph& graph, const Partition& partition, size_t index,
                       std::span<const Node> inputs, Node place) {
  Context& context = graph.context();
  graph.set_insertion_point(place);
  const std::vector<ArgId> holes(inputs.size(), context.hole());
  const Node made = graph.add(NodeKind::kCallFunction, "my.region", context.call(holes), inputs,
                              partition.regions[index].name);
  std::vector<Node> elements;
  for (size_t i = 0; i < partition.regions[index].outputs.size(); ++i)
    elements.push_back(
        graph.call("operator.getitem", {made, context.integer(static_cast<int64_t>(i))}));
  graph.set_insertion_point({});
  return elements;
}

void outline_all(Graph& graph, const Partition& partition) {
  outline(graph, partition, std::vector<bool>(partition.regions.size(), true),
          [&](size_t index, std::span<const Node> inputs, Node place) {
            return call(graph, partition, index, inputs, place);
          });
}

TEST(Extract, ARegionBecomesAGraph) {
  const auto graph = parsed(R"(graph @main {
  %x = placeholder "x" : float32[4]
  %a = call aten.neg.default(%x) : float32[4]
  %b = call aten.add.Tensor(%a, 1) : float32[4]
  %c = call aten.mul.Tensor(%b, %a) : float32[4]
  %d = call aten.exp.default(%c) : float32[4]
  output((%d, %b))
}
)");
  Taker taker({"aten.add.Tensor", "aten.mul.Tensor"});
  const Partition result = partition(*graph, {&taker});
  ASSERT_EQ(result.regions.size(), 1U);
  const auto inside = extract(*graph, result.regions[0]);
  EXPECT_TRUE(verify(*inside).ok());
  EXPECT_EQ(print(*inside), R"(graph @t_0 {
  %a = placeholder "a" : float32[4]
  %b = call aten.add.Tensor(%a, 1) : float32[4]
  %c = call aten.mul.Tensor(%b, %a) : float32[4]
  output((%b, %c))
}
)");
}

// `exp` is moved before the region, whose nodes stood around it.
TEST(Outline, RegionsBecomeCalls) {
  const auto graph = parsed(R"(graph @main {
  %x = placeholder "x"
  %a = call aten.neg.default(%x)
  %b = call aten.exp.default(%x)
  %c = call aten.neg.default(%b)
  %d = call aten.neg.default(%a)
  output((%c, %d))
}
)");
  Taker taker({"aten.neg.default"});
  const Partition result = partition(*graph, {&taker});
  outline_all(*graph, result);
  EXPECT_TRUE(verify(*graph).ok());
  EXPECT_EQ(print(*graph), R"(graph @main {
  %x = placeholder "x"
  %b = call aten.exp.default(%x)
  %t_0 = call my.region(%x, %b)
  %getitem = call operator.getitem(%t_0, 0)
  %getitem_1 = call operator.getitem(%t_0, 1)
  output((%getitem, %getitem_1))
}
)");
}

// What was in the graph in one order and is there still must keep that order.
TEST(Outline, RandomGraphsStayValidAndInOrder) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const Dag dag = random_dag(seed, {.nodes = 40, .unsupported = 0.4, .effects = true});
    Graph& graph = *dag.graph;
    const auto order = hazards(graph);
    const Partition result = partition(graph, dag.claims, {"t"});
    std::vector<Node> call_of(result.regions.size());
    outline(graph, result, std::vector<bool>(result.regions.size(), true),
            [&](size_t index, std::span<const Node> inputs, Node place) {
              auto made = call(graph, result, index, inputs, place);
              call_of[index] = made.empty() ? Node() : value_of(made[0]).node;
              if (!made.empty()) call_of[index] = made[0].operand(0);
              return made;
            });
    const Status status = verify(graph);
    ASSERT_TRUE(status.ok()) << "seed " << seed << ": " << status.error().str();
    auto now = [&](NodeId id) {
      const int region = result.region_of[id.value];
      return region < 0 ? graph.node(id) : call_of[static_cast<size_t>(region)];
    };
    for (const auto& [earlier, later] : order) {
      const Node a = now(earlier), b = now(later);
      if (!a || !b || a == b) continue;  // a region without outputs leaves a call nobody names
      ASSERT_TRUE(a.before(b)) << "seed " << seed;
    }
  }
}

TEST(Outline, UnwantedRegionsStay) {
  const auto graph = parsed(R"(graph @main {
  %x = placeholder "x"
  %a = call aten.neg.default(%x)
  %b = call aten.exp.default(%a)
  %c = call aten.neg.default(%b)
  output(%c)
}
)");
  Taker taker({"aten.neg.default"});
  const Partition result = partition(*graph, {&taker});
  outline(*graph, result, {false, true},
          [&](size_t index, std::span<const Node> inputs, Node place) {
            return call(*graph, result, index, inputs, place);
          });
  EXPECT_TRUE(graph->find("a"));
  EXPECT_FALSE(graph->find("c"));
  EXPECT_TRUE(graph->find("t_1"));
}

struct Refusal {
  const char* name;
  const char* body;  // %r is claimed by a backend that takes everything
  const char* reason;
};
class Functional : public ::testing::TestWithParam<Refusal> {};

TEST_P(Functional, ClaimsThatACallCannotKeep) {
  const std::string text = std::string("graph @main {\n  %x = placeholder \"x\"\n") +
                           GetParam().body + "  output((%x, %r))\n}\n";
  const auto graph = parsed(text);
  Taker taker({"aten.neg.default", "aten.add_.Tensor", "aten.view.default",
               "aten.bernoulli.default", "my.unknown"});
  const Partition result = partition(*graph, {&taker}, {.functional = true});
  const uint32_t node = graph->find("r").id().value;
  const std::string_view reason = GetParam().reason;
  EXPECT_EQ(result.region_of[node] >= 0, reason.empty());
  if (!reason.empty()) {
    EXPECT_EQ(result.refusals[node], std::vector<std::string>{std::string(reason)});
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Functional,
    ::testing::Values(
        Refusal{"Pure", "  %r = call aten.neg.default(%x)\n", ""},
        Refusal{"Writes", "  %r = call aten.add_.Tensor(%x, %x)\n", "region: it writes in place"},
        Refusal{"Draws", "  %r = call aten.bernoulli.default(%x)\n",
                "region: it draws random numbers"},
        Refusal{"Unknown", "  %r = call my.unknown(%x)\n",
                "region: the effects of its target are not known"},
        Refusal{"ResultIsWritten",
                "  %r = call aten.neg.default(%x)\n  %w = call aten.exp_.default(%r)\n"
                "  %w2 = call aten.add_.Tensor(%r, %x)\n",
                "region: its memory is written in place"},
        Refusal{"ViewOfAnInput", "  %r = call aten.view.default(%x, [4])\n",
                "region: its result shares memory beyond the region"},
        Refusal{"ViewOfAnotherOutput",
                "  %a = call aten.neg.default(%x)\n  %r = call aten.view.default(%a, [4])\n"
                "  %e = call aten.exp.default(%a)\n",
                "region: its result shares memory beyond the region"},
        Refusal{"ViewOfSomethingInside",
                "  %a = call aten.neg.default(%x)\n  %r = call aten.view.default(%a, [4])\n", ""}),
    [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace nfx
