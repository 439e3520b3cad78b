#include "compiler/step_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ops/op_table.h"

namespace nfx {
namespace {

// A fusion made by hand: kernels of the named nodes, each storing its last node.
class StepOrderTest : public testing::Test {
 protected:
  Result<std::vector<StepUnit>> order(std::string_view body,
                                      const std::vector<std::vector<std::string>>& kernels) {
    Result<std::unique_ptr<Graph>> graph =
        parse("graph @main {\n" + std::string(body) + "}\n", std::make_shared<Context>(&ops_));
    EXPECT_TRUE(graph) << graph.error().str();
    graph_ = std::move(*graph);
    fusion_.choices.resize(graph_->id_limit());
    for (const std::vector<std::string>& names : kernels) add_kernel(names);
    const Runners runners = choose_runners(*graph_, &fusion_, {});
    const ValueTable values(*graph_);
    const MemoryRoots memory(*graph_, values, runners);
    return order_steps(*graph_, values, runners, memory, &fusion_);
  }

  // Names of the nodes, kernels as "k0".
  static std::vector<std::string> names(const std::vector<StepUnit>& units) {
    std::vector<std::string> made;
    for (const StepUnit& unit : units) {
      made.push_back(unit.kernel >= 0 ? "k" + std::to_string(unit.kernel)
                                      : std::string(unit.node.name()));
    }
    return made;
  }

 private:
  void add_kernel(const std::vector<std::string>& names) {
    FusedKernel kernel;
    for (const std::string& name : names) {
      const Node node = graph_->find(name);
      kernel.ops.push_back(node);
      Fusion::Choice& choice = fusion_.choices[node.id().value];
      choice.disposition = Disposition::kKernel;
      choice.kernel = static_cast<int32_t>(fusion_.kernels.size());
      add_buffer(kernel, node, BufferUse::kOut);
    }
    for (const Node node : kernel.ops) {
      for (uint32_t i = 0; i < node.num_operands(); ++i) {
        const bool inside = std::ranges::find(kernel.ops, node.operand(i)) != kernel.ops.end();
        if (!inside) add_buffer(kernel, node.operand(i), BufferUse::kIn);
      }
    }
    fusion_.kernels.push_back(std::move(kernel));
  }
  static void add_buffer(FusedKernel& kernel, Node node, BufferUse use) {
    kernel.kernel.buffers.push_back({Dtype::kFloat32, use});
    kernel.buffers.push_back({node, -1});
  }

  SchemaOpTable ops_;
  std::unique_ptr<Graph> graph_;
  Fusion fusion_;
};

TEST_F(StepOrderTest, KernelRunsAfterWhatItReads) {
  const auto units = order(R"(
  %x = placeholder "x" : float32[4, 4]
  %a = call aten.exp.default(%x) : float32[4, 4]
  %m = call aten.mm.default(%x, %x) : float32[4, 4]
  %b = call aten.add.Tensor(%a, %m) : float32[4, 4]
  output((%b,))
)",
                           {{"a", "b"}});
  ASSERT_TRUE(units) << units.error().str();
  EXPECT_EQ(names(*units), (std::vector<std::string>{"m", "k0"}));
}

TEST_F(StepOrderTest, StepWaitsForAKernelWhoseLastNodeComesLater) {
  const auto units = order(R"(
  %x = placeholder "x" : float32[4, 4]
  %a = call aten.exp.default(%x) : float32[4, 4]
  %m = call aten.mm.default(%a, %x) : float32[4, 4]
  %b = call aten.neg.default(%a) : float32[4, 4]
  output((%b, %m))
)",
                           {{"a", "b"}});
  ASSERT_TRUE(units) << units.error().str();
  EXPECT_EQ(names(*units), (std::vector<std::string>{"k0", "m"}));
}

TEST_F(StepOrderTest, KernelsThatNeedEachOtherAreRefused) {
  const auto units = order(R"(
  %x = placeholder "x" : float32[4, 4]
  %a = call aten.exp.default(%x) : float32[4, 4]
  %m = call aten.mm.default(%a, %x) : float32[4, 4]
  %b = call aten.add.Tensor(%a, %m) : float32[4, 4]
  output((%b, %a))
)",
                           {{"a", "b"}});
  ASSERT_FALSE(units);
  EXPECT_EQ(units.error().code, "cyclic-steps");
}

}  // namespace
}  // namespace nfx
