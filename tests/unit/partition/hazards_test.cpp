#include "partition/hazards.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "partition/partition.h"
#include "partition/random_dag.h"

namespace nfx {
namespace {

struct Case {
  const char* name;
  const char* body;
  const char* earlier;
  const char* later;
  bool ordered;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

class Hazards : public ::testing::TestWithParam<Case> {};

// Whether a chain of hazards and data leads from one node to the other.
bool is_ordered(const Graph& graph, Node earlier, Node later) {
  std::vector<bool> reached(graph.id_limit(), false);
  reached[earlier.id().value] = true;
  const auto pairs = hazards(graph);
  for (const Node node : graph.nodes()) {
    auto follow = [&](NodeId from) {
      if (reached[from.value]) reached[node.id().value] = true;
    };
    for (uint32_t i = 0; i < node.num_operands(); ++i) follow(node.operand(i).id());
    for (const auto& [from, to] : pairs) {
      if (to == node.id()) follow(from);
    }
  }
  return reached[later.id().value];
}

TEST_P(Hazards, Order) {
  const Case& c = GetParam();
  const std::string text =
      std::string("graph @main {\n  %x = placeholder \"x\"\n  %y = placeholder \"y\"\n") + c.body +
      "  output((%x, %y))\n}\n";
  auto graph = parse(text, testing::new_context());
  ASSERT_TRUE(graph.ok()) << graph.error().str();
  const Node earlier = (*graph)->find(c.earlier), later = (*graph)->find(c.later);
  ASSERT_TRUE(earlier && later);
  EXPECT_EQ(is_ordered(**graph, earlier, later), c.ordered);
  for (const auto& [from, to] : hazards(**graph))
    EXPECT_TRUE((*graph)->node(from).before((*graph)->node(to)));
}

constexpr const char* kReadThenWrite =
    "  %r = call aten.neg.default(%x)\n  %w = call aten.add_.Tensor(%x, %y)\n";
constexpr const char* kWriteThenRead =
    "  %w = call aten.add_.Tensor(%x, %y)\n  %r = call aten.neg.default(%x)\n";
constexpr const char* kThroughView =
    "  %v = call aten.view.default(%x, [4])\n  %w = call aten.add_.Tensor(%v, %y)\n"
    "  %r = call aten.neg.default(%x)\n";
constexpr const char* kTwoNamesOfOneTensor =
    "  %a = get_attr \"weight\"\n  %b = get_attr \"weight\"\n  %w = call aten.add_.Tensor(%a, %y)\n"
    "  %r = call aten.neg.default(%b)\n";
constexpr const char* kTwoDraws =
    "  %a = call aten.bernoulli.default(%x)\n  %b = call aten.bernoulli.default(%y)\n";
constexpr const char* kGradMode =
    "  %a = call aten.neg.default(%x)\n  %off = call torch._C._set_grad_enabled(False)\n"
    "  %b = call aten.neg.default(%y)\n";
constexpr const char* kEnterAndExit =
    "  %enter = call some.enter()\n  %a = call aten.neg.default(%x)\n  %exit = call "
    "some.exit(%enter)\n";

INSTANTIATE_TEST_SUITE_P(All, Hazards,
                         ::testing::Values(Case{"ReadThenWrite", kReadThenWrite, "r", "w", true},
                                           Case{"WriteThenRead", kWriteThenRead, "w", "r", true},
                                           Case{"OtherMemory",
                                                "  %w = call aten.add_.Tensor(%x, %x)\n"
                                                "  %r = call aten.neg.default(%y)\n",
                                                "w", "r", false},
                                           Case{"ThroughView", kThroughView, "w", "r", true},
                                           Case{"TwoNamesOfOneTensor", kTwoNamesOfOneTensor, "w",
                                                "r", true},
                                           Case{"TwoWrites",
                                                "  %a = call aten.add_.Tensor(%x, %y)\n"
                                                "  %b = call aten.add_.Tensor(%x, %y)\n",
                                                "a", "b", true},
                                           Case{"TwoDraws", kTwoDraws, "a", "b", true},
                                           Case{"BeforeASwitch", kGradMode, "a", "off", true},
                                           Case{"BehindASwitch", kGradMode, "off", "b", true},
                                           Case{"BehindEnter", kEnterAndExit, "enter", "a", true},
                                           Case{"BeforeExit", kEnterAndExit, "a", "exit", true},
                                           Case{"Unrelated",
                                                "  %a = call aten.neg.default(%x)\n"
                                                "  %b = call aten.neg.default(%y)\n",
                                                "a", "b", false}),
                         [](const auto& param) { return std::string(param.param.name); });

// `b = a.clone(); b.fill_(..)` twice: claimed reads never pass a write.
TEST(HazardsInPartition, AReadIsNotMovedPastAWrite) {
  auto parsed = parse(R"(graph @main {
  %x = placeholder "x"
  %y = placeholder "y"
  %a = call aten.neg.default(%x)
  %w = call aten.add_.Tensor(%x, %y)
  %b = call aten.neg.default(%x)
  output((%a, %b))
}
)",
                      testing::new_context());
  ASSERT_TRUE(parsed.ok()) << parsed.error().str();
  Graph& graph = **parsed;
  std::vector<int> claims(graph.id_limit(), kUnclaimed);
  claims[graph.find("a").id().value] = 0;
  claims[graph.find("b").id().value] = 0;
  EXPECT_EQ(partition(graph, claims, {"t"}).regions.size(), 2U);
  claims[graph.find("w").id().value] = 0;
  EXPECT_EQ(partition(graph, claims, {"t"}).regions.size(), 1U);
}

TEST(HazardsCost, EdgesAreLinearInUses) {
  for (const size_t nodes : {1000, 4000}) {
    const testing::Dag dag = testing::random_dag(1, {.nodes = nodes, .effects = true});
    size_t uses = 0;
    for (const Node node : dag.graph->nodes()) uses += node.num_operands();
    EXPECT_LE(hazards(*dag.graph).size(), 4 * uses);
  }
}

}  // namespace
}  // namespace nfx
