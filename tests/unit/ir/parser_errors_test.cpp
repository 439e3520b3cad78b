// Each message of the parser, where it points, and texts that must not hurt it.
#include <gtest/gtest.h>

#include "ir/graph.h"

namespace nfx {
namespace {

struct BadText {
  const char* text;
  const char* code;
  const char* message;
  int line, column;
};

class ParserErrors : public testing::TestWithParam<BadText> {};

TEST_P(ParserErrors, NameThePlace) {
  const auto [text, code, message, line, column] = GetParam();
  const auto result = parse(text, std::make_shared<Context>(), "in.nfx");
  ASSERT_FALSE(result.ok()) << text;
  const Diagnostic& error = result.error();
  EXPECT_EQ(error.code, code) << text;
  EXPECT_EQ(error.message, message) << text;
  EXPECT_EQ(error.place.file, "in.nfx");
  EXPECT_EQ(error.place.line, line) << text;
  EXPECT_EQ(error.place.column, column) << text;
  EXPECT_FALSE(error.help.empty()) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Structure, ParserErrors,
    testing::Values(
        BadText{"", "expected", "expected `graph`, found the end of the text", 1, 1},
        BadText{"grape {}", "expected", "expected `graph`, found `grape`", 1, 1},
        BadText{"graph @ {}", "expected", "expected a name, found `{`", 1, 9},
        BadText{"graph\n@m\n", "expected", "expected `{`, found the end of the text", 3, 1},
        BadText{"graph {} }", "expected", "expected the end of the text, found `}`", 1, 10},
        BadText{"graph { banana }", "expected",
                "expected a node, `attribute`, `property` or `}`, found `banana`", 1, 9},
        BadText{"graph { \x01 }", "expected",
                "expected a node, `attribute`, `property` or `}`, found `\\x01`", 1, 9},
        BadText{"graph {\n  %x placeholder\n}", "expected", "expected `=`, found `placeholder`", 2,
                6},
        BadText{"graph { %\"\" = placeholder }", "expected",
                "expected a name that is not empty, found `\"`", 1, 10},
        BadText{"graph { placeholder }", "expected",
                "expected the target of the placeholder, found `}`", 1, 21},
        BadText{"graph { %x = call (1) }", "expected", "expected a target, found `(`", 1, 19},
        BadText{"graph { %x = placeholder\n %x = placeholder }", "duplicate-name",
                "node `%x` is defined twice", 2, 3},
        BadText{"graph { attribute \"a\" = none attribute \"a\" = none }", "duplicate-attribute",
                "attribute or property `a` is given twice", 1, 40},
        BadText{"graph { property \"a\" = none property \"a\" = none }", "duplicate-attribute",
                "attribute or property `a` is given twice", 1, 38},
        BadText{"graph { attribute \"a\" = 3 }", "expected",
                "expected `opaque#`, `none` or `graph`, found `3`", 1, 25},
        BadText{"graph { property \"a\" = opaque }", "expected",
                "expected `#` and a number, found `}`", 1, 31},
        BadText{"graph { %x = placeholder meta(red) }", "expected",
                "expected `#`, `derived`, `source` or `module`, found `red`", 1, 31},
        BadText{"graph { %x = placeholder users() output(%x) }", "expected",
                "expected `%`, found `)`", 1, 32},
        BadText{"graph { %x = placeholder users(%y) output(%x) }", "bad-users",
                "`users(...)` does not list the users of `%x`", 1, 31},
        BadText{"graph { %x = placeholder users(%output, %output) output(%x) }", "bad-users",
                "`users(...)` does not list the users of `%x`", 1, 31}));

INSTANTIATE_TEST_SUITE_P(
    Symbols, ParserErrors,
    testing::Values(BadText{"symbols { s0 : str }", "expected",
                            "expected `float` or `bool`, found `str`", 1, 16},
                    BadText{"symbols { s0 in 3 }", "expected", "expected `[`, found `3`", 1, 17},
                    BadText{"symbols { s0 in [3, 2] }", "bad-range",
                            "the range of symbol `s0` is empty", 1, 11},
                    BadText{"symbols { s0 in [x, 2] }", "expected",
                            "expected an integer, found `x`", 1, 18},
                    BadText{"symbols { s0 in [1, 2] s0 in [1, 3] }", "symbol-conflict",
                            "symbol `s0` has another kind or range in this context", 1, 24}));

INSTANTIATE_TEST_SUITE_P(
    Arguments, ParserErrors,
    testing::Values(
        BadText{"graph { call f(%y) }", "unknown-node", "node `%y` is not defined above this line",
                1, 17},
        BadText{"graph { call f(true) }", "unknown-argument", "`true` is no argument", 1, 16},
        BadText{"graph { call f(;) }", "expected", "expected an argument, found `;`", 1, 16},
        BadText{"graph { call f(1 2) }", "expected", "expected `)`, found `2`", 1, 18},
        BadText{"graph { call f(a=1, 2) }", "misplaced-keyword",
                "an argument without a keyword stands behind one with a keyword", 1, 21},
        BadText{"graph { call f(a=1, b=2, a=3) }", "duplicate-keyword",
                "keyword `a` is given twice", 1, 15},
        BadText{"graph { call f(slice(1)) }", "expected",
                "expected three arguments in a slice or range, found `)`", 1, 24},
        BadText{"graph { call f({1}) }", "expected", "expected `:`, found `}`", 1, 18},
        BadText{"graph { call f(dtype(float31)) }", "unknown-dtype", "`float31` is no element type",
                1, 22},
        BadText{"graph { call f(-x) }", "expected", "expected an integer, found `-`", 1, 16},
        BadText{"graph { call f(9223372036854775808) }", "bad-number",
                "`9223372036854775808` is not an integer of 64 bits", 1, 16},
        BadText{"graph { call f(1e999) }", "bad-number", "`1e999` is not a float of 64 bits", 1,
                16},
        BadText{"graph { call f(-in) }", "expected", "expected a number, found `-`", 1, 16},
        BadText{"graph { call f(nan(0x1)) }", "bad-number",
                "`0x1` is not the 64 bits of a NaN, as in `nan(0x7ff8000000000001)`", 1, 20},
        BadText{"graph { call f(opaque#0) }", "bad-number", "`0` is not the number of a handle", 1,
                23},
        BadText{"graph { call f(\"a\n\") }", "unterminated-string", "a string has no closing `\"`",
                1, 16},
        BadText{"graph { call f(\"\\q\") }", "bad-escape", "`\\q` is no escape", 1, 17},
        BadText{"graph { call f(\"\\x1\") }", "bad-escape", "`\\x` is no escape", 1, 17},
        BadText{"graph { %x = placeholder call f(%x#3) }", "expected",
                "expected `,` or a closing bracket, found `#`", 1, 35}));

INSTANTIATE_TEST_SUITE_P(
    Types, ParserErrors,
    testing::Values(
        BadText{"graph { %x = placeholder : float31[] }", "unknown-dtype",
                "`float31` is no element type", 1, 28},
        BadText{"graph { %x = placeholder : ! }", "expected", "expected a type, found `!`", 1, 28},
        BadText{"graph { %x = placeholder : int64 }", "expected", "expected `[`, found `}`", 1, 34},
        BadText{"graph { %x = placeholder : int64[2,] }", "expected",
                "expected an expression, found `]`", 1, 36},
        BadText{"graph { %x = placeholder : int64[?] }", "expected",
                "expected an expression, found `?`", 1, 34},
        BadText{"graph { %x = placeholder : int64[2] @ }", "expected",
                "expected a device, found `}`", 1, 39},
        BadText{"graph { %x = placeholder : int64[2] layout odd }", "unknown-layout",
                "`odd` is no layout", 1, 44},
        BadText{"graph { %x = placeholder : (none none) }", "expected",
                "expected `)`, found `none`", 1, 34}));

class DeepText : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(DeepText, IsRefused) {
  const auto [open, close] = GetParam();
  const auto nest = [&](int depth) {
    std::string text =
        std::string(open).starts_with(":") ? "graph { %x = placeholder : " : "graph { call f(";
    const std::string_view bracket = std::string_view(open).substr(open[0] == ':' ? 1 : 0);
    for (int i = 0; i < depth; ++i) text += bracket;
    for (int i = 0; i < depth; ++i) text += close;
    return text + (open[0] == ':' ? " output() }" : ") output() }");
  };
  const auto context = std::make_shared<Context>();
  const auto good = parse(nest(90), context);
  ASSERT_TRUE(good.ok()) << good.error().str();
  EXPECT_TRUE(verify(**good).ok());
  EXPECT_TRUE(parse(print(**good), context).ok());
  for (const int depth : {202, 100000}) {
    const auto bad = parse(nest(depth), context);
    ASSERT_FALSE(bad.ok());
    EXPECT_EQ(bad.error().code, "too-deep");
  }
}

INSTANTIATE_TEST_SUITE_P(EveryBracket, DeepText,
                         testing::Values(std::pair("(", ")"), std::pair("[", "]"),
                                         std::pair("{1:[", "]}"), std::pair("list[", "]"),
                                         std::pair("Size(", ")"), std::pair("named P(", ")"),
                                         std::pair(":(", ")"), std::pair(":[", "]")));

TEST(ParserErrors, DeepSubgraphsAreRefused) {
  std::string text = "graph {";
  for (int i = 0; i < 300; ++i) text += "attribute \"a\" = graph {";
  const auto result = parse(text, std::make_shared<Context>());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, "too-deep");
}

TEST(ParserErrors, DeepExpressionsDoNotHurt) {
  const std::string deep = std::string(100000, '(') + "1" + std::string(100000, ')');
  const auto result = parse("graph { %x = placeholder : int64[" + deep + "] output(%x) }",
                            std::make_shared<Context>());
  ASSERT_TRUE(result.ok()) << result.error().str();
}

struct Owner : OpaqueOwner {
  void retain(void*) override {}
  void release(void*) override {}
  std::string label(void*) override { return "torch.relu"; }
};

TEST(ParserErrors, HandlesOfAnotherProcess) {
  Owner owner;
  int object = 0;
  const auto context = std::make_shared<Context>(nullptr, &owner);
  context->opaque(&object);
  EXPECT_TRUE(parse("graph { call torch.relu#1() output() }", context).ok());
  EXPECT_TRUE(parse("graph { %x = placeholder meta(#1) output() }", context).ok());
  const auto unknown = parse("graph { call torch.relu#2() output() }", context);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, "unknown-handle");
  EXPECT_EQ(unknown.error().message, "handle `#2` names no object of this context");
  const auto other = parse("graph { call torch.tanh#1() output() }", context);
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, "handle-mismatch");
  EXPECT_EQ(other.error().message, "handle `#1` is `torch.relu` here, not `torch.tanh`");
}

TEST(ParserErrors, EveryPrefixAndEveryMissingCharacterIsHandled) {
  const std::string text =
      "symbols { s0 in [2, 9] hint 3 }\ngraph @m {\n attribute \"a\" = graph { output() }\n"
      " %x = placeholder \"x\" : (float32[s0, 4]{4, 1} @cuda:0 offset(2) grad, sym(s0)) "
      "meta(#7, source \"s\") users(%a)\n %a = call f#3(%x, [1.5, {\"k\": nan}], key=slice(1, 2, "
      "None))\n output(%a)\n}\n";
  const auto context = std::make_shared<Context>();
  ASSERT_TRUE(parse(text, context).ok());
  for (size_t i = 0; i + 2 < text.size(); ++i) {
    EXPECT_FALSE(parse(text.substr(0, i), context).ok()) << i;
    std::string changed = text;
    changed.erase(i, 1);
    const auto result = parse(changed, context);
    if (result.ok()) {
      EXPECT_TRUE(parse(print(**result), context).ok()) << changed;
    }
  }
}

}  // namespace
}  // namespace nfx
