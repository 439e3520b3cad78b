// Random graphs keep their meaning under every pass: the same bits, outputs that
// share memory only with what they shared it before, and a graph that verifies.
// A failure tells the seed and the shortest graph of that seed that fails.
#include <gtest/gtest.h>

#include <map>

#include "passes/dce.h"
#include "passes/pipelines.h"
#include "passes/random_graph.h"

namespace nfx {
namespace {

constexpr uint32_t kSeeds = 200;
constexpr int kCalls = 24;

// Where the memory of a value was made.
Node owner(Node node) {
  while (node.has(Trait::kView)) node = node.operand(0);
  return node;
}

// For each output: the input or the first output that it shares memory with, and
// the input or the first output that it is.
std::string sharing(const Graph& graph) {
  std::map<uint32_t, std::string> owners, selves;
  std::string text;
  for (const Node input : graph.placeholders()) {
    owners[input.id().value] = selves[input.id().value] = std::string(input.name());
  }
  const Node output = graph.output();
  for (uint32_t i = 0; i < output.num_operands(); ++i) {
    const Node result = output.operand(i);
    const std::string name = "output " + std::to_string(i);
    text += name + " is " + selves.emplace(result.id().value, name).first->second +
            " on memory of " + owners.emplace(owner(result).id().value, name).first->second + "\n";
  }
  return text;
}

std::string difference(const std::vector<const Pass*>& passes, uint32_t seed, int calls,
                       bool without_unused = false) {
  const RandomGraph made = random_graph(seed, calls);
  if (without_unused) dce(*made.graph);
  const std::string before = print(*made.graph), shared = sharing(*made.graph);
  const auto expected = GraphValues(*made.graph, made.inputs).outputs();
  EXPECT_EQ(expected.size(), 3u) << before;
  const Result<std::vector<PassRun>> runs =
      run_passes(*made.graph, passes, {.verify_each = true, .until_stable = true});
  if (!runs) return before + runs.error().str();
  const std::string graphs = before + print(*made.graph);
  const auto actual = GraphValues(*made.graph, made.inputs).outputs();
  if (actual.size() != expected.size()) return graphs + "not all outputs have values";
  for (size_t i = 0; i < expected.size(); ++i) {
    if (same(expected[i], actual[i])) continue;
    return graphs + "expected " + text(expected[i]) + "\nactual   " + text(actual[i]);
  }
  if (shared != sharing(*made.graph)) return graphs + shared + "\n" + sharing(*made.graph);
  return "";
}

std::string shortest_failure(const std::vector<const Pass*>& passes, uint32_t seed) {
  if (difference(passes, seed, kCalls).empty()) return "";
  for (int calls = 1;; ++calls) {
    std::string found = difference(passes, seed, calls, true);
    if (found.empty()) found = difference(passes, seed, calls);
    if (!found.empty()) return "seed " + std::to_string(seed) + "\n" + found;
  }
}

class RandomGraphs : public testing::TestWithParam<const Pass*> {};

TEST_P(RandomGraphs, KeepTheirMeaning) {
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    const std::string failure = shortest_failure({GetParam()}, seed);
    ASSERT_TRUE(failure.empty()) << failure;
  }
}

std::vector<const Pass*> exact_passes() {
  std::vector<const Pass*> passes = all_passes();
  std::erase_if(passes, [](const Pass* pass) { return pass->name == "reassociate"; });
  return passes;
}

INSTANTIATE_TEST_SUITE_P(EachPass, RandomGraphs, testing::ValuesIn(exact_passes()),
                         [](const auto& test) { return std::string(test.param->name); });

TEST(DefaultPipeline, KeepsTheMeaningOfRandomGraphs) {
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    const std::string failure = shortest_failure(default_pipeline(), seed);
    ASSERT_TRUE(failure.empty()) << failure;
  }
}

TEST(DefaultPipeline, ChangesNothingASecondTime) {
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    const RandomGraph made = random_graph(seed, kCalls);
    ASSERT_TRUE(run_default_pipeline(*made.graph));
    const std::string once = print(*made.graph);
    const auto again = run_default_pipeline(*made.graph);
    ASSERT_TRUE(again);
    ASSERT_EQ(once, print(*made.graph)) << "seed " << seed;
    for (const PassRun& run : *again) {
      ASSERT_EQ(run.changed, Changed::kNo) << run.name << ", seed " << seed << "\n" << once;
    }
  }
}

TEST(DefaultPipeline, ShortensRandomGraphs) {
  size_t before = 0, after = 0;
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    const RandomGraph made = random_graph(seed, kCalls);
    before += made.graph->size();
    ASSERT_TRUE(run_default_pipeline(*made.graph));
    after += made.graph->size();
  }
  std::printf("%zu nodes before, %zu after\n", before, after);
  EXPECT_LT(after, before / 2);
}

}  // namespace
}  // namespace nfx
