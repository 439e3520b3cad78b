#include "passes/remove_noops.h"

#include <gtest/gtest.h>

#include "ops/op_table.h"
#include "passes/dce.h"

namespace nfx {
namespace {

struct Case {
  const char* name;
  const char* call;  // of %a, float32[4]
  bool removed;
};

// Ops that have a schema but no row; golden tests show the others.
constexpr Case kCases[] = {
    {"DropoutInEvaluation", "aten.dropout.default(%a, 0.5, False)", true},
    {"DropoutOfNothing", "aten.dropout.default(%a, 0.0, True)", true},
    {"DropoutInTraining", "aten.dropout.default(%a, 0.5, True)", false},
    {"Contiguous", "aten.contiguous.default(%a)", true},
    {"ReshapeToItself", "aten.reshape.default(%a, [4])", true},
    {"ToItsOwnDtype", "aten.to.dtype(%a, dtype(float32))", true},
    {"AsStridedElsewhere", "aten.as_strided.default(%a, [4], [1], 2)", false},
};

class RemoveNoops : public testing::TestWithParam<Case> {};

TEST_P(RemoveNoops, OfOpsWithoutRows) {
  SchemaOpTable ops(
      {"aten::dropout(Tensor input, float p, bool train) -> Tensor",
       "aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=0) -> "
       "Tensor(a)",
       "aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)",
       "aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, "
       "MemoryFormat? memory_format=None) -> Tensor(a)",
       "aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? "
       "storage_offset=None) -> Tensor(a)"});
  ops.set_traits("aten.dropout.default", {Trait::kRandom});
  const std::string text = std::string(R"(graph @main {
    %x = placeholder "x" : float32[4]
    %a = call aten.relu.default(%x) : float32[4]
    %n = call )") + GetParam().call +
                           R"( : float32[4]
    %b = call aten.neg.default(%n) : float32[4]
    output((%b,)) })";
  auto graph = parse(text, std::make_shared<Context>(&ops));
  ASSERT_TRUE(graph) << graph.error().str();
  EXPECT_EQ(remove_noops(**graph) == Changed::kYes, GetParam().removed);
  EXPECT_EQ(!(*graph)->find("n"), GetParam().removed);
}

INSTANTIATE_TEST_SUITE_P(Cases, RemoveNoops, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace nfx
