// What holds for every row, and what schemas add.
#include "ops/describe.h"
#include "ops/op_case.h"

namespace nfx::testing {
namespace {

TEST(Rows, EachSaysWhatItsResultIs) {
  EXPECT_GE(op_rows().size(), 200u);
  for (const auto& [name, row] : op_rows()) {
    // What becomes an operator over sorted edges has a type only.
    const bool orders_rows = name.starts_with("mp.") && row.type != nullptr;
    EXPECT_TRUE(row.element || row.fold || row.expand || orders_rows) << name;
    EXPECT_TRUE(row.type || row.expand) << name;
    EXPECT_FALSE(row.element && row.fold) << name;
    EXPECT_FALSE(row.has(Trait::kMutates)) << name;
    EXPECT_TRUE(row.has(Trait::kPure)) << name;
    EXPECT_EQ(name, op_name(*row.schema));
    EXPECT_EQ(row.has(Trait::kView) || row.has(Trait::kMayAlias),
              row.schema->returns_alias() || name == "aten._unsafe_view.default")
        << name;
  }
}

TEST(Rows, ASchemaAloneGivesTraits) {
  SchemaOpTable table(
      {"aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
       "aten::bernoulli(Tensor self, *, Generator? generator=None) -> Tensor",
       "aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)",
       "aten::mm(Tensor self, Tensor mat2) -> Tensor"});
  const OpInfo* in_place = table.find("aten.add_.Tensor");
  ASSERT_NE(in_place, nullptr);
  EXPECT_TRUE(in_place->has(Trait::kMutates));
  EXPECT_FALSE(in_place->has(Trait::kPure));
  EXPECT_TRUE(table.find("aten.bernoulli.default")->has(Trait::kRandom));
  EXPECT_TRUE(table.find("aten.reshape.default")->has(Trait::kMayAlias));
  EXPECT_TRUE(table.find("aten.mm.default")->has(Trait::kPure));
  EXPECT_EQ(table.find("aten.no_such_op.default"), nullptr);
  table.set_traits("aten.mm.default", {Trait::kEffect});
  EXPECT_FALSE(table.find("aten.mm.default")->has(Trait::kPure));
}

TEST(Rows, AnotherSignatureTakesTheRowAway) {
  SchemaOpTable table({"aten::relu(Tensor self, bool fast=False) -> Tensor"});
  EXPECT_EQ(table.mismatches(), std::vector<std::string>{"aten.relu.default"});
  EXPECT_EQ(op_row(table.find("aten.relu.default")), nullptr);
  EXPECT_NE(op_row(SchemaOpTable().find("aten.relu.default")), nullptr);
}

TEST(Rows, AreDescribedByKind) {
  const std::string text = describe_rows();
  EXPECT_NE(text.find("| `aten.exp.default` | pointwise | promoted dtype, integers as floats |"),
            std::string::npos);
  EXPECT_NE(text.find("| `aten.sum.dim_IntList` | reduction |"), std::string::npos);
  EXPECT_NE(text.find("| `aten._softmax.default` | expansion |"), std::string::npos);
  EXPECT_NE(text.find("| `aten.index_select.default` | gather |"), std::string::npos);
}

}  // namespace
}  // namespace nfx::testing
