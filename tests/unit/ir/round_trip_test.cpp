// parse(print(g)) is g: in its own context to the id, in another one to the text.
#include <gtest/gtest.h>

#include <fstream>

#include "ir/graph.h"

namespace nfx {
namespace {

std::unique_ptr<Graph> read(std::string_view text, const std::shared_ptr<Context>& context) {
  auto graph = parse(text, context);
  EXPECT_TRUE(graph.ok()) << graph.error().str() << "\n" << text;
  return graph ? std::move(*graph) : nullptr;
}

// Reads `text`, which must be as it prints.
void expect_usual_form(const std::string& text) {
  const auto context = std::make_shared<Context>();
  const auto graph = read(text, context);
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(print(*graph), text);
  const auto again = read(text, context);
  std::string difference;
  EXPECT_TRUE(equal(*graph, *again, &difference)) << difference;
  EXPECT_TRUE(equal(*graph, *read(text, std::make_shared<Context>()), &difference)) << difference;
  EXPECT_TRUE(equal(*graph, *graph->clone(), &difference)) << difference;
}

class ArgumentRoundTrip : public testing::TestWithParam<const char*> {};

TEST_P(ArgumentRoundTrip, IsAsPrinted) {
  const std::string argument = GetParam();
  expect_usual_form("graph @main {\n  %x = placeholder \"x\"\n  %y = call f(" + argument +
                    ")\n  %z = call f([" + argument + "], k=" + argument + ")\n  output(%z)\n}\n");
}

INSTANTIATE_TEST_SUITE_P(
    EveryKind, ArgumentRoundTrip,
    testing::Values("%x", "None", "True", "False", "...", "0", "-1", "9223372036854775807",
                    "-9223372036854775808", "0.0", "-0.0", "1.0", "1.5", "0.1", "1e+300", "5e-324",
                    "1.7976931348623157e+308", "inf", "-inf", "nan", "nan(0x7ff8000000000001)",
                    "nan(0xfff8000000000000)", "nan(0x7ff0000000000001)", "complex(1.0, -0.0)",
                    "complex(inf, nan)", "\"\"", "\"text\"",
                    R"("q\" b\\ n\n t\t r\r z\x00 d\x7f f\xff")", "\"caf\u00e9 \u4e2d \U0001F600\"",
                    R"("\xed\xa0\x80")", R"("\xc0\xaf")", "dtype(float32)", "dtype(float8_e4m3fn)",
                    "dtype(quint4x2)", "device(\"cuda:0\")", "layout(strided)",
                    "layout(torch.sparse_coo)", "memory_format(channels_last)", "()", "(1,)",
                    "(1, %x)", "((), ((),))", "[]", "[1, [%x]]", "list[]", "list[1, %x]", "{}",
                    "{\"a\": %x, 1: (2,)}", "dict{\"a\": list[]}", "Size()", "Size(1, 2)",
                    "Size(%x)", "slice(None, %x, -1)", "range(0, 10, 2)", "named Point#7(1, %x)",
                    "named Point#7 \"m.Point\"(1)", "op(aten.add.Tensor)", "op(aten.add.Tensor#5)",
                    "op(aten.add.Tensor#5 \"add\")", "op(\"\"#5 \"f\")", "@body", "@\"a body\"",
                    "sym(s0 + 1)", "sym(s0//2)#12", "sym(s0%3)#12 \"other\"", "opaque#12",
                    "opaque#12 \"label \\\"q\\\"\"", "[1]#3 \"kept\"", "1#4"));

class TypeRoundTrip : public testing::TestWithParam<const char*> {};

TEST_P(TypeRoundTrip, IsAsPrinted) {
  expect_usual_form("graph @main {\n  %x = placeholder \"x\" : " + std::string(GetParam()) +
                    "\n  output(%x)\n}\n");
}

INSTANTIATE_TEST_SUITE_P(EveryKind, TypeRoundTrip,
                         testing::Values("float32[]", "float32[2, 3]", "float32[0, 3]",
                                         "bool[2]{0}", "float32[2, 3]{1, 2}", "int64[2]{?}",
                                         "complex64[2] @cuda:1", "float32[2] @meta",
                                         "float32[2] @?", "float32[2] @\"odd device\"",
                                         "float32[2] offset(3)", "float32[2] layout sparse_coo",
                                         "float32[2]{1} layout jagged grad", "float32[2] grad",
                                         "float32[2, 3]{1, 2} @cuda:0 offset(7) grad", "sym()",
                                         "sym(4)", "sym float64()", "sym bool()", "none", "opaque",
                                         "()", "(none,)", "(float32[2], [int64[], ?], none)", "[]",
                                         "[sym(3)]"));

TEST(RoundTrip, SymbolsAndSymbolicTypes) {
  expect_usual_form(
      "symbols {\n  s0 in [2, 100] hint 8\n  s1 in [-inf, 5]\n  u0 in [0, inf]\n"
      "  zf0 : float\n}\n"
      "graph @main {\n"
      "  %a = placeholder \"a\" : float32[s0, 2*s0 + 1]\n"
      "  %b = placeholder \"b\" : float32[s0, u0]{u0, 2} offset(s0//2)\n"
      "  %c = placeholder \"c\" : (sym(s1 + u1), sym float64(zf0))\n"
      "  output(%a)\n}\n");
}

TEST(RoundTrip, ExpressionsThatAreNotUnderstoodAreQuoted) {
  expect_usual_form(
      "graph @main {\n  %a = placeholder \"a\" : float32[\"f(]\"]{\"g, h\"}\n  output(%a)\n}\n");
}

TEST(RoundTrip, KindsNamesMetaUsersAttributes) {
  expect_usual_form(
      "graph @\"my graph\" {\n"
      "  property \"codegen\" = opaque#1 \"CodeGen\"\n"
      "  property \"nothing\" = none\n"
      "  attribute \"body\" = graph @body {\n"
      "    property \"p\" = opaque#2\n"
      "    attribute \"inner.0\" = opaque#3 graph @inner {\n"
      "      output(None)\n"
      "    }\n"
      "    %x = placeholder \"x\" users(%b, %a)\n"
      "    %a = call f(%x)\n"
      "    %b = call f(%x)\n"
      "    output((%a, %b))\n"
      "  }\n"
      "  attribute \"w\" = opaque#5 \"Parameter\"\n"
      "  %x = placeholder \"x_1\" meta(#7, derived, source \"m.py:4 in f\", module \"l.0\")\n"
      "  %\"a name%\" = placeholder \"y\"(None) users(%call, %relu)\n"
      "  %w = get_attr \"w\"#5 \"Parameter\"\n"
      "  %0 = module \"layers.0\"(%x, %w) meta(derived)\n"
      "  %relu = method \"relu\"(%\"a name%\", alpha=1, \"odd key\"=%x, \"\"=2) meta(#9)\n"
      "  %call = call torch.relu#8(%\"a name%\", @body, %x)\n"
      "  %odd = call \"<built-in function add>\"#6 \"add\"()\n"
      "  %result = output \"out\"(%call) : none\n"
      "}\n");
}

TEST(RoundTrip, PeopleWriteItShorter) {
  const auto graph = read(
      "// a comment\n"
      "graph { %x = placeholder : float32 [ 2 , 3 ] // another\n"
      "  %y = call f ( %x , (1, 2,), ) placeholder \"z\" call g(%y) output((%y,)) }",
      std::make_shared<Context>());
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(print(*graph),
            "graph @main {\n  %x = placeholder \"x\" : float32[2, 3]\n  %y = call f(%x, (1, 2))\n"
            "  %z = placeholder \"z\"\n  %g = call g(%y)\n  output((%y,))\n}\n");
}

TEST(RoundTrip, UsersOfANodeThatUsesItTwiceApart) {
  const auto context = std::make_shared<Context>();
  const auto graph = read(
      "graph { %x = placeholder %y = placeholder %a = call f(%x, %x) %b = call f(%x) output() }",
      context);
  // Slots a.0, b.0, a.1: fx lists a before b, as the text does by default.
  const Node a = graph->find("a"), x = graph->find("x"), y = graph->find("y");
  graph->set_operand(a, 1, y);
  graph->set_operand(a, 1, x);
  const std::string text = print(*graph);
  EXPECT_EQ(text.find("users("), std::string::npos);
  std::string difference;
  EXPECT_TRUE(equal(*graph, *read(text, context), &difference)) << difference;
}

TEST(RoundTrip, OptionsLeaveThingsOut) {
  const auto graph = read("graph { %x = placeholder : none meta(derived) output(%x) }",
                          std::make_shared<Context>());
  EXPECT_EQ(print(*graph, {.types = false, .meta = false}),
            "graph @main {\n  %x = placeholder \"x\"\n  output(%x)\n}\n");
  EXPECT_EQ(print(graph->first()), "%x = placeholder \"x\" : none");
}

TEST(RoundTrip, HandlesReferToObjectsOfTheContext) {
  struct Owner : OpaqueOwner {
    void retain(void*) override {}
    void release(void*) override {}
    std::string label(void* object) override { return *static_cast<std::string*>(object); }
  } owner;
  std::string relu = "torch.relu", tensor = "a tensor";
  const auto context = std::make_shared<Context>(nullptr, &owner);
  Graph graph(context);
  const ArgId arguments[] = {
      context->intern(Arg{.kind = ArgKind::kOpaque, .opaque = context->opaque(&tensor)})};
  const Node node = graph.add(NodeKind::kCallFunction, "torch.relu", context->call(arguments), {});
  graph.set_target(node, "torch.relu", context->opaque(&relu));
  EXPECT_EQ(print(node), "%relu = call torch.relu#2(opaque#1 \"a tensor\")");
  const auto again = read(print(graph), context);
  EXPECT_EQ(context->object(again->first().target_object()), &relu);
  EXPECT_TRUE(equal(graph, *again));
}

// Whatever stands in the documentation is read.
TEST(RoundTrip, ExampleOfTheDocumentation) {
  std::ifstream file(std::string(NFX_SOURCE_DIR) + "/docs/ir.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  int examples = 0;
  for (size_t at = 0; (at = page.find("```nfx\n", at)) != std::string::npos; ++examples) {
    at += 7;
    const std::string text = page.substr(at, page.find("```", at) - at);
    const auto graph = read(text, std::make_shared<Context>());
    ASSERT_NE(graph, nullptr);
    const Status status = verify(*graph);
    EXPECT_TRUE(status.ok()) << status.error().str();
  }
  EXPECT_GE(examples, 1);
}

}  // namespace
}  // namespace nfx
