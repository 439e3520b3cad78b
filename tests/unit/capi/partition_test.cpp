// Passes and regions through the C interface.
#include <string>
#include <vector>

#include "capi/fixture.h"

namespace nfx {
namespace {

using testing::sized;
using testing::str;
using testing::text;

constexpr std::string_view kGraph =
    "graph @main {\n"
    "  %x = placeholder \"x\" : float32[4]\n"
    "  %a = call aten.neg.default(%x) : float32[4]\n"
    "  %b = call aten.mul.Tensor(%a, 2) : float32[4]\n"
    "  %c = call aten.mul.Tensor(%b, %x) : float32[4]\n"
    "  %d = call aten.exp.default(%c) : float32[4]\n"
    "  output((%d,))\n"
    "}\n";

// Says yes to one target.
struct Taker {
  std::string target;
  int asked = 0;
};

nfx_status takes(void* state, const nfx_graph* graph, nfx_node node, nfx_support* answer) {
  auto& taker = *static_cast<Taker*>(state);
  ++taker.asked;
  auto info = sized<nfx_node_info>();
  EXPECT_EQ(nfx_node_read(graph, node, &info), NFX_OK);
  answer->yes = text(info.target) == taker.target ? 1 : 0;
  answer->reason = str("only one op");
  return NFX_OK;
}

nfx_status fails(void*, const nfx_graph*, nfx_node, nfx_support*) { return NFX_FAILED; }

nfx_supporter supporter(Taker& taker) {
  auto made = sized<nfx_supporter>();
  made.name = str("npu");
  made.state = &taker;
  made.supports = takes;
  return made;
}

class CPartition : public testing::CGraph {
 protected:
  void SetUp() override {
    CGraph::SetUp();
    read(kGraph);
  }
  void TearDown() override {
    nfx_partition_free(partition_);
    CGraph::TearDown();
  }
  void divide(const nfx_supporter& asked, const nfx_partition_options* options = nullptr) {
    const nfx_supporter* const all[] = {&asked};
    ASSERT_EQ(nfx_graph_partition(graph_, all, 1, options, &partition_, nullptr), NFX_OK);
  }
  size_t size() {
    size_t count = 99;
    EXPECT_EQ(nfx_partition_size(partition_, &count), NFX_OK);
    return count;
  }

  Taker taker_{"aten.mul.Tensor"};
  nfx_partition* partition_ = nullptr;
};

TEST_F(CPartition, ARegionTellsItsBoundary) {
  divide(supporter(taker_));
  EXPECT_EQ(taker_.asked, 4);
  ASSERT_EQ(size(), 1U);
  auto region = sized<nfx_region_info>();
  ASSERT_EQ(nfx_partition_region(partition_, 0, &region), NFX_OK);
  EXPECT_EQ(text(region.name), "npu_0");
  EXPECT_EQ(region.supporter, 0U);
  EXPECT_EQ(std::vector(region.nodes, region.nodes + region.num_nodes),
            (std::vector{find("b"), find("c")}));
  EXPECT_EQ(std::vector(region.inputs, region.inputs + region.num_inputs),
            (std::vector{find("a"), find("x")}));
  EXPECT_EQ(std::vector(region.outputs, region.outputs + region.num_outputs),
            std::vector{find("c")});
}

TEST_F(CPartition, RefusalsSayWho) {
  divide(supporter(taker_));
  nfx_string reasons{};
  ASSERT_EQ(nfx_partition_refusal(partition_, find("d"), &reasons), NFX_OK);
  EXPECT_EQ(text(reasons), "npu: only one op");
  ASSERT_EQ(nfx_partition_refusal(partition_, find("b"), &reasons), NFX_OK);
  EXPECT_EQ(text(reasons), "");
}

TEST_F(CPartition, AFailingSupporterGetsNothing) {
  auto asked = supporter(taker_);
  asked.supports = fails;
  divide(asked);
  EXPECT_EQ(size(), 0U);
  nfx_string reasons{};
  ASSERT_EQ(nfx_partition_refusal(partition_, find("d"), &reasons), NFX_OK);
  EXPECT_EQ(text(reasons), "npu: failed with status 8");
}

TEST_F(CPartition, OptionsHold) {
  auto options = sized<nfx_partition_options>();
  options.min_nodes = 3;
  divide(supporter(taker_), &options);
  EXPECT_EQ(size(), 0U);
}

TEST_F(CPartition, AnExtractedRegionIsAGraph) {
  divide(supporter(taker_));
  nfx_graph* region = nullptr;
  ASSERT_EQ(nfx_partition_extract(partition_, 0, &region), NFX_OK);
  EXPECT_EQ(nfx_graph_verify(region, nullptr), NFX_OK);
  size_t nodes = 0;
  EXPECT_EQ(nfx_graph_size(region, &nodes), NFX_OK);
  EXPECT_EQ(nodes, 5U);  // two placeholders, two calls, the output
  nfx_graph_free(region);
}

TEST_F(CPartition, SplittingAndInliningGivesTheGraphBack) {
  const std::string before = print();
  divide(supporter(taker_));
  ASSERT_EQ(nfx_graph_split(graph_, partition_, nullptr), NFX_OK);
  EXPECT_EQ(nfx_graph_verify(graph_, nullptr), NFX_OK);
  EXPECT_NE(print().find("module \"npu_0\""), std::string::npos);
  nfx_graph* inside = nullptr;
  ASSERT_EQ(nfx_graph_subgraph(graph_, str("npu_0"), &inside), NFX_OK);
  nfx_graph_free(inside);
  ASSERT_EQ(nfx_graph_inline(graph_, partition_, nullptr), NFX_OK);
  EXPECT_EQ(print(), before);
}

TEST_F(CPartition, AGraphIsSplitOnceByAPartition) {
  divide(supporter(taker_));
  ASSERT_EQ(nfx_graph_split(graph_, partition_, nullptr), NFX_OK);
  nfx_diagnostic* diagnostic = nullptr;
  EXPECT_EQ(nfx_graph_split(graph_, partition_, &diagnostic), NFX_INVALID);
  auto info = sized<nfx_diagnostic_info>();
  ASSERT_EQ(nfx_diagnostic_read(diagnostic, &info), NFX_OK);
  EXPECT_EQ(text(info.code), "split-twice");
  nfx_diagnostic_free(diagnostic);
  nfx_graph* region = nullptr;
  EXPECT_EQ(nfx_partition_extract(partition_, 0, &region), NFX_INVALID);
  EXPECT_EQ(region, nullptr);
}

TEST_F(CPartition, BadInput) {
  auto asked = supporter(taker_);
  const nfx_supporter* const all[] = {&asked};
  const nfx_supporter* const missing[] = {nullptr};
  EXPECT_EQ(nfx_graph_partition(nullptr, all, 1, nullptr, &partition_, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_graph_partition(graph_, nullptr, 1, nullptr, &partition_, nullptr),
            NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_graph_partition(graph_, missing, 1, nullptr, &partition_, nullptr),
            NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_graph_partition(graph_, all, 1, nullptr, nullptr, nullptr), NFX_BAD_ARGUMENT);
  asked.struct_size = 4;
  EXPECT_EQ(nfx_graph_partition(graph_, all, 1, nullptr, &partition_, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(partition_, nullptr);
  divide(supporter(taker_));
  auto region = sized<nfx_region_info>();
  EXPECT_EQ(nfx_partition_region(partition_, 1, &region), NFX_OUT_OF_RANGE);
  EXPECT_EQ(nfx_partition_region(nullptr, 0, &region), NFX_BAD_ARGUMENT);
  nfx_string reasons{};
  for (const nfx_node node : {0U, 1000U, 0xffffffffU})
    EXPECT_EQ(nfx_partition_refusal(partition_, node, &reasons), NFX_OUT_OF_RANGE);
  EXPECT_EQ(nfx_graph_inline(nullptr, nullptr, nullptr), NFX_BAD_ARGUMENT);
}

TEST_F(CPartition, PassesRunByName) {
  ASSERT_EQ(nfx_graph_run_passes(graph_, str("dce,cse"), nullptr), NFX_OK);
  ASSERT_EQ(nfx_graph_run_passes(graph_, str("default"), nullptr), NFX_OK);
  nfx_diagnostic* diagnostic = nullptr;
  EXPECT_EQ(nfx_graph_run_passes(graph_, str("dcs"), &diagnostic), NFX_INVALID);
  auto info = sized<nfx_diagnostic_info>();
  ASSERT_EQ(nfx_diagnostic_read(diagnostic, &info), NFX_OK);
  EXPECT_EQ(text(info.code), "unknown-pass");
  nfx_diagnostic_free(diagnostic);
  EXPECT_EQ(nfx_graph_run_passes(nullptr, str("dce"), nullptr), NFX_BAD_ARGUMENT);
}

}  // namespace
}  // namespace nfx
