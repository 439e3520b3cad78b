#include "ir/schema.h"

#include <gtest/gtest.h>

namespace nfx {
namespace {

Schema parsed(std::string_view text) {
  auto schema = parse_schema(text);
  EXPECT_TRUE(schema.ok()) << (schema.ok() ? "" : schema.error().str());
  return schema.ok() ? std::move(*schema) : Schema();
}

TEST(Schema, NameAndOverload) {
  const Schema add =
      parsed("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor");
  EXPECT_EQ(add.name, "aten::add");
  EXPECT_EQ(add.overload, "Tensor");
  ASSERT_EQ(add.args.size(), 3U);
  EXPECT_FALSE(add.args[1].kwarg_only);
  EXPECT_TRUE(add.args[2].kwarg_only);
  EXPECT_EQ(add.args[2].type.kind, SchemaKind::kScalar);
  EXPECT_EQ(std::get<int64_t>(*add.args[2].default_value), 1);
  EXPECT_EQ(add.arg_index("other"), 1U);
  EXPECT_FALSE(add.arg_index("out").has_value());
  EXPECT_EQ(parsed("my_ops::mm(Tensor a) -> Tensor").overload, "");
}

TEST(Schema, Types) {
  const Schema schema = parsed(
      "t::f(Tensor?[] a, SymInt[2] b, int[]? c, float[]? d, bool[3] e, Device? f, ScalarType g, "
      "MemoryFormat? h, Layout? i, Generator? j, str k, int[][] l, Dict(str, Tensor) m, "
      "__torch__.torch.classes.a.B n, (int, Tensor)[] o, complex p, SymFloat q, SymBool r) -> ()");
  const auto& args = schema.args;
  EXPECT_TRUE(args[0].type.list && args[0].type.element_optional && !args[0].type.optional);
  EXPECT_EQ(args[1].type.list_size, 2);
  EXPECT_TRUE(args[1].type.symbolic);
  EXPECT_EQ(args[1].type.kind, SchemaKind::kInt);
  EXPECT_TRUE(args[2].type.list && args[2].type.optional && !args[2].type.element_optional);
  EXPECT_EQ(args[3].type.kind, SchemaKind::kFloat);
  EXPECT_EQ(args[4].type.kind, SchemaKind::kBool);
  EXPECT_EQ(args[5].type.kind, SchemaKind::kDevice);
  EXPECT_EQ(args[6].type.kind, SchemaKind::kDtype);
  EXPECT_EQ(args[7].type.kind, SchemaKind::kMemoryFormat);
  EXPECT_EQ(args[8].type.kind, SchemaKind::kLayout);
  EXPECT_EQ(args[9].type.kind, SchemaKind::kGenerator);
  EXPECT_EQ(args[10].type.kind, SchemaKind::kString);
  for (size_t i = 11; i <= 14; ++i) EXPECT_EQ(args[i].type.kind, SchemaKind::kOther);
  EXPECT_EQ(args[12].type.text, "Dict(str, Tensor)");
  EXPECT_EQ(args[15].type.kind, SchemaKind::kComplex);
  EXPECT_EQ(args[16].type.kind, SchemaKind::kFloat);
  EXPECT_EQ(args[17].type.kind, SchemaKind::kBool);
  EXPECT_TRUE(schema.results.empty());
}

TEST(Schema, Defaults) {
  const Schema schema = parsed(
      "t::f(int[2] a=[1, -2], float b=1., bool c=True, str d=\"\\\"\\n\", Tensor? e=None, "
      "float f=2, int[2] g=0, bool[2] h=[True, False], float[] i=[0., 1.5], int j) -> Tensor");
  const auto& args = schema.args;
  EXPECT_EQ(std::get<std::vector<int64_t>>(*args[0].default_value), (std::vector<int64_t>{1, -2}));
  EXPECT_EQ(std::get<double>(*args[1].default_value), 1.0);
  EXPECT_EQ(std::get<bool>(*args[2].default_value), true);
  EXPECT_EQ(std::get<std::string>(*args[3].default_value), "\"\n");
  EXPECT_TRUE(std::holds_alternative<NoneDefault>(*args[4].default_value));
  EXPECT_EQ(std::get<double>(*args[5].default_value), 2.0);
  EXPECT_EQ(std::get<int64_t>(*args[6].default_value), 0);
  EXPECT_EQ(std::get<std::vector<uint8_t>>(*args[7].default_value), (std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(std::get<std::vector<double>>(*args[8].default_value), (std::vector<double>{0, 1.5}));
  EXPECT_FALSE(args[9].default_value.has_value());
}

TEST(Schema, Aliases) {
  const Schema split = parsed("aten::split(Tensor(a -> *) self, int n) -> Tensor(a)[]");
  EXPECT_EQ(split.args[0].alias.before, "a");
  EXPECT_EQ(split.args[0].alias.after, "*");
  EXPECT_TRUE(split.results[0].alias.inside_list);
  EXPECT_FALSE(split.writes());
  EXPECT_TRUE(split.returns_alias());

  const Schema out = parsed("aten::mm.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)");
  EXPECT_TRUE(out.args[1].alias.write);
  EXPECT_TRUE(out.writes());
  EXPECT_TRUE(out.returns_alias());

  const Schema foreach = parsed("aten::_foreach_add_(Tensor(a!)[] self) -> ()");
  EXPECT_TRUE(foreach.writes());
  EXPECT_FALSE(foreach.returns_alias());

  const Schema pure = parsed("aten::mm(Tensor self, Tensor mat2) -> Tensor");
  EXPECT_FALSE(pure.writes());
  EXPECT_FALSE(pure.returns_alias());
}

TEST(Schema, PrintsAsSpelled) {
  for (const std::string_view text : {
           "aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor "
           "indices)",
           "aten::as_tensor(Tensor(a) data, *, Device? device=None) -> Tensor(b|a)",
           "aten::items.str(Dict(str, t) self) -> ((str, t)[])",
           "aten::_foreach_add.Scalar_out(Tensor[] self, Scalar scalar, *, Tensor(a!)[] out) -> ()",
           "aten::keys.str(Dict(str, t)(a!) self) -> str[](*)",
           "prim::Print(...) -> ()",
           "aten::format(str self, ...) -> str",
           "prim::rpc(...) -> ...",
           "aten::f(Tensor(a!)? self) -> Tensor grad",
       }) {
    EXPECT_EQ(parsed(text).str(), text);
  }
}

TEST(Schema, BadTextsAreErrorsWithAColumn) {
  for (const std::string_view text : {"",
                                      "add",
                                      "aten::",
                                      "aten::add",
                                      "aten::add.(Tensor a) -> Tensor",
                                      "aten::add(",
                                      "aten::add(Tensor) -> Tensor",
                                      "aten::add(Tensor a",
                                      "aten::add(Tensor a)",
                                      "aten::add(Tensor a) ->",
                                      "aten::add(Tensor a) -> Tensor x y",
                                      "aten::add(Tensor() a) -> T",
                                      "aten::add(Tensor(a a) -> T",
                                      "aten::add(int[ a) -> T",
                                      "aten::add(int a=) -> T",
                                      "aten::add(int[] a=[x]) -> T",
                                      "aten::add(str a=\"x) -> T",
                                      "aten::add(Dict(str a) -> T",
                                      "aten::add(int[99999999999999999999] a) -> T",
                                      "aten::add(int[] a=[1) -> T"}) {
    const auto schema = parse_schema(text);
    ASSERT_FALSE(schema.ok()) << text;
    EXPECT_EQ(schema.error().code, "bad-schema");
    EXPECT_GE(schema.error().place.column, 1);
  }
  const std::string deep = "t::f(" + std::string(100'000, '(') + " a) -> T";
  EXPECT_FALSE(parse_schema(deep).ok());
}

}  // namespace
}  // namespace nfx
