// Plans of graphs whose ops an interpreter runs: there is no PyTorch here.
#include <gtest/gtest.h>

#include "compiler/compile.h"
#include "ops/op_table.h"

namespace nfx {
namespace {

class NoStep final : public ExternalStep {
 public:
  Status run(std::span<const StepValue>, std::span<StepValue>) override { return success(); }
};

class LowerTest : public testing::Test {
 protected:
  // The plan of a graph with this body, and its nodes' runners.
  const Plan& plan(std::string_view body) {
    const std::string text = "graph @main {\n" + std::string(body) + "}\n";
    Result<std::unique_ptr<Graph>> graph = parse(text, std::make_shared<Context>(&ops_));
    EXPECT_TRUE(graph) << graph.error().str();
    CompileOptions options;
    options.hooks.interpret = [](Node) -> Result<std::unique_ptr<ExternalStep>> {
      return std::unique_ptr<ExternalStep>(std::make_unique<NoStep>());
    };
    graph_ = std::move(*graph);
    Result<CompiledGraph> compiled = compile(*graph_, options);
    EXPECT_TRUE(compiled) << compiled.error().str();
    compiled_ = std::make_unique<CompiledGraph>(std::move(*compiled));
    return compiled_->plan();
  }

  // Kinds and slots' names: "external b", "view t", "free a".
  std::vector<std::string> steps() {
    const Plan& plan = compiled_->plan();
    std::vector<std::string> words;
    for (const Step& step : plan.steps) {
      switch (step.kind) {
        case StepKind::kExternal:
          words.push_back("external " + plan.external[step.index].name);
          break;
        case StepKind::kView: words.push_back("view " + plan.slots[step.index].name); break;
        case StepKind::kFree: words.push_back("free " + plan.slots[step.index].name); break;
        case StepKind::kBind: words.push_back("bind"); break;
        default: words.push_back("other"); break;
      }
    }
    return words;
  }

  SchemaOpTable ops_;
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<CompiledGraph> compiled_;
};

using Steps = std::vector<std::string>;

TEST_F(LowerTest, FreesAfterTheLastUse) {
  plan(R"(
  %x = placeholder "x" : float32[4, 4]
  %a = call aten.mm.default(%x, %x) : float32[4, 4]
  %b = call aten.mm.default(%a, %x) : float32[4, 4]
  %c = call aten.mm.default(%b, %a) : float32[4, 4]
  output((%c,))
)");
  EXPECT_EQ(steps(),
            (Steps{"external a", "external b", "free x", "external c", "free a", "free b"}));
}

TEST_F(LowerTest, ViewIsMadeWhereItIsNeeded) {
  const Plan& made = plan(R"(
  %x = placeholder "x" : float32[4, 6]
  %t = call aten.t.default(%x) : float32[6, 4]{1, 6}
  %u = call aten.t.default(%t) : float32[4, 6]
  %a = call aten.mm.default(%t, %x) : float32[6, 6]
  output((%a,))
)");
  EXPECT_EQ(steps(), (Steps{"view t", "external a", "free x", "free t"}));
  EXPECT_EQ(made.slots[made.steps[0].index].base, made.inputs[0].slot);
  EXPECT_TRUE(made.slots[made.inputs[0].slot].check_shape);
}

TEST_F(LowerTest, BaseOutlivesItsView) {
  plan(R"(
  %x = placeholder "x" : float32[4, 4]
  %a = call aten.mm.default(%x, %x) : float32[4, 4]
  %t = call aten.t.default(%a) : float32[4, 4]{1, 4}
  %b = call aten.mm.default(%x, %t) : float32[4, 4]
  output((%b,))
)");
  EXPECT_EQ(steps(), (Steps{"external a", "view t", "external b", "free x", "free a", "free t"}));
}

TEST_F(LowerTest, OutputsAreInputsSharedOrMoved) {
  const Plan& made = plan(R"(
  %x = placeholder "x" : float32[4, 4]
  %a = call aten.mm.default(%x, %x) : float32[4, 4]
  output((%x, %a, None, %a, 3))
)");
  using Kind = PlanOutput::Kind;
  std::vector<Kind> kinds;
  for (const PlanOutput& output : made.outputs) kinds.push_back(output.kind);
  EXPECT_EQ(kinds, (std::vector<Kind>{Kind::kInput, Kind::kTensor, Kind::kNone, Kind::kMovedTensor,
                                      Kind::kInt}));
  EXPECT_EQ(made.outputs[0].source, 0u);
  EXPECT_EQ(steps(), (Steps{"external a"}));
}

TEST_F(LowerTest, UnneededResultIsDropped) {
  const Plan& made = plan(R"(
  %x = placeholder "x" : float32[4, 4]
  %a = call aten.topk.default(%x, 2) : (float32[4, 2], int64[4, 2])
  %b = call operator.getitem(%a, 1) : int64[4, 2]
  output((%b,))
)");
  ASSERT_EQ(made.external.size(), 1u);
  EXPECT_EQ(made.external[0].results[0].kind, ResultTarget::Kind::kDrop);
  EXPECT_EQ(made.external[0].results[1].kind, ResultTarget::Kind::kTensor);
}

TEST_F(LowerTest, SizesComeFromNumbersBeforeTensors) {
  const Plan& made = plan(R"(
  %n = placeholder "n" : sym(s0)
  %x = placeholder "x" : float32[s0, s1]
  %a = call aten.mm.default(%x, %x) : float32[s0, s1]
  output((%a, %n))
)");
  EXPECT_EQ(made.input_symbols.size(), 2u);
  ASSERT_EQ(made.symbols.size(), 1u);  // s1; s0 is given as a number
  EXPECT_EQ(made.symbols[0].dim, 1u);
}

TEST_F(LowerTest, SymbolOfAResultIsBoundAfterItsStep) {
  const Plan& made = plan(R"(
  %x = placeholder "x" : float32[4]
  %i = call aten.nonzero.default(%x) : int64[u0, 1]
  %t = call aten.t.default(%i) : int64[1, u0]
  output((%t,))
)");
  EXPECT_EQ(steps(), (Steps{"external i", "free x", "bind", "view t", "free i"}));
  ASSERT_EQ(made.binds.size(), 1u);
  EXPECT_EQ(made.binds[0].symbols.size(), 1u);
  EXPECT_FALSE(made.binds[0].program.outputs.empty());
}

TEST_F(LowerTest, TupleThatLeavesIsRefused) {
  Result<std::unique_ptr<Graph>> graph = parse(R"(graph @main {
  %x = placeholder "x" : float32[4, 4]
  %a = call aten.topk.default(%x, 2) : (float32[4, 2], int64[4, 2])
  output((%a,))
}
)",
                                               std::make_shared<Context>(&ops_));
  ASSERT_TRUE(graph) << graph.error().str();
  CompileOptions options;
  options.hooks.interpret = [](Node) -> Result<std::unique_ptr<ExternalStep>> {
    return std::unique_ptr<ExternalStep>(std::make_unique<NoStep>());
  };
  const Result<CompiledGraph> compiled = compile(**graph, options);
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().code, "unsupported-node");
}

TEST_F(LowerTest, WithoutAnInterpreterTheGraphIsRefused) {
  Result<std::unique_ptr<Graph>> graph = parse(R"(graph @main {
  %x = placeholder "x" : float32[4, 4]
  %a = call aten.mm.default(%x, %x) : float32[4, 4]
  output((%a,))
}
)",
                                               std::make_shared<Context>(&ops_));
  ASSERT_TRUE(graph) << graph.error().str();
  const Result<CompiledGraph> compiled = compile(**graph, {});
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().code, "unsupported-node");
}

}  // namespace
}  // namespace nfx
