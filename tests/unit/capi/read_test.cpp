#include <fstream>
#include <thread>

#include "capi/fixture.h"

extern "C" char* double_instead_of_add(const char* text, nfx_status* status);

namespace nfx {
namespace {

using testing::sized;
using testing::str;
using testing::text;

class Reading : public testing::CGraph {};

constexpr std::string_view kGraph = R"(graph @main {
  %x = placeholder "x" : float32[s0, 4]
  %w = get_attr "weight" : float32[4]
  %y = call aten.add.Tensor(%x, %w, alpha=2) : float32[s0, 4]
  %t = call aten.var_mean.correction(%y, [0], keepdim=True) : (float32[1, 4], float32[1, 4])
  %m = method "relu"(%y, %y) : float32[s0, 4]
  output((%t, %m))
}
)";

TEST_F(Reading, WalkInOrder) {
  read(kGraph);
  std::string names;
  nfx_node node = 0, previous = 0;
  ASSERT_EQ(nfx_graph_first(graph_, &node), NFX_OK);
  while (node != 0) {
    const nfx_node_info found = info(node);
    EXPECT_EQ(found.prev, previous);
    names += text(found.name) + ":" + std::to_string(found.kind) + ":" + text(found.target) + " ";
    previous = node;
    node = found.next;
  }
  EXPECT_EQ(names,
            "x:0:x w:1:weight y:2:aten.add.Tensor t:2:aten.var_mean.correction m:3:relu "
            "output:5:output ");
  size_t size = 0;
  EXPECT_EQ(nfx_graph_size(graph_, &size), NFX_OK);
  EXPECT_EQ(size, 6U);
  nfx_string name{};
  EXPECT_EQ(nfx_graph_name(graph_, &name), NFX_OK);
  EXPECT_EQ(text(name), "main");
}

TEST_F(Reading, OperandsAndUsers) {
  read(kGraph);
  const nfx_node y = find("y");
  EXPECT_EQ(info(y).num_operands, 2U);
  nfx_node operand = 0;
  EXPECT_EQ(nfx_node_operand(graph_, y, 1, &operand), NFX_OK);
  EXPECT_EQ(operand, find("w"));
  EXPECT_EQ(nfx_node_operand(graph_, y, 2, &operand), NFX_OUT_OF_RANGE);
  nfx_node users[1] = {};
  size_t count = 0;
  EXPECT_EQ(nfx_node_users(graph_, y, users, 1, &count), NFX_OK);
  EXPECT_EQ(count, 2U);  // `m` uses it twice and counts once
  EXPECT_EQ(users[0], find("t"));
}

TEST_F(Reading, ArgumentsBySchema) {
  read(kGraph);
  nfx_argument place{};
  ASSERT_EQ(nfx_node_argument(graph_, find("y"), str("alpha"), &place), NFX_OK);
  EXPECT_EQ(argument(place).integer, 2);
  ASSERT_EQ(nfx_node_argument(graph_, find("y"), str("other"), &place), NFX_OK);
  EXPECT_EQ(argument(place).node, find("w"));
  EXPECT_EQ(nfx_node_argument(graph_, find("y"), str("beta"), &place), NFX_NOT_FOUND);
  nfx_string name{};
  ASSERT_EQ(nfx_node_keyword(graph_, find("t"), 0, &name, &place), NFX_OK);
  EXPECT_EQ(text(name), "keepdim");
  EXPECT_EQ(argument(place).kind, NFX_ARG_BOOL);
  EXPECT_EQ(nfx_node_keyword(graph_, find("t"), 1, &name, &place), NFX_OUT_OF_RANGE);
}

struct ArgumentCase {
  const char* spelling;
  nfx_argument_kind kind;
  const char* text;
  size_t children;
};
class Arguments : public testing::CGraph, public ::testing::WithParamInterface<ArgumentCase> {};

TEST_P(Arguments, EveryKindIsRead) {
  read(std::string("graph @main {\n  %x = placeholder \"x\"\n  %y = call my.f(") +
       GetParam().spelling + ")\n  output(%y)\n}\n");
  const nfx_argument place = positional(find("y"), 0);
  const nfx_argument_info found = argument(place);
  EXPECT_EQ(found.kind, GetParam().kind);
  EXPECT_EQ(text(found.text), GetParam().text);
  ASSERT_EQ(found.num_children, GetParam().children);
  for (size_t i = 0; i < found.num_children; ++i) {
    nfx_argument child{};
    ASSERT_EQ(nfx_argument_child(graph_, place, i, &child), NFX_OK);
    auto child_info = sized<nfx_argument_info>();
    EXPECT_EQ(nfx_argument_read(graph_, child, &child_info), NFX_OK);
  }
  nfx_argument child{};
  EXPECT_EQ(nfx_argument_child(graph_, place, found.num_children, &child), NFX_OUT_OF_RANGE);
}

INSTANTIATE_TEST_SUITE_P(
    All, Arguments,
    ::testing::Values(
        ArgumentCase{"%x", NFX_ARG_NODE, "", 0}, ArgumentCase{"None", NFX_ARG_NONE, "", 0},
        ArgumentCase{"True", NFX_ARG_BOOL, "", 0}, ArgumentCase{"-7", NFX_ARG_INT, "", 0},
        ArgumentCase{"1.5", NFX_ARG_FLOAT, "", 0},
        ArgumentCase{"complex(1.0, -2.0)", NFX_ARG_COMPLEX, "", 0},
        ArgumentCase{"\"gelu\"", NFX_ARG_STRING, "gelu", 0},
        ArgumentCase{"...", NFX_ARG_ELLIPSIS, "", 0},
        ArgumentCase{"dtype(int64)", NFX_ARG_DTYPE, "", 0},
        ArgumentCase{"device(\"cuda:0\")", NFX_ARG_DEVICE, "cuda:0", 0},
        ArgumentCase{"layout(strided)", NFX_ARG_LAYOUT, "strided", 0},
        ArgumentCase{"memory_format(channels_last)", NFX_ARG_MEMORY_FORMAT, "channels_last", 0},
        ArgumentCase{"sym(2*s0 + 1)", NFX_ARG_SYMBOLIC, "2*s0 + 1", 0},
        ArgumentCase{"(1, %x)", NFX_ARG_TUPLE, "", 2}, ArgumentCase{"[1, 2]", NFX_ARG_LIST, "", 2},
        ArgumentCase{"Size(1, 2)", NFX_ARG_SIZE, "", 2},
        ArgumentCase{"{\"a\": 1, \"b\": %x}", NFX_ARG_DICT, "", 4},
        ArgumentCase{"op(aten.add.Tensor)", NFX_ARG_OP, "aten.add.Tensor", 0},
        ArgumentCase{"@body", NFX_ARG_GRAPH, "body", 0},
        ArgumentCase{"opaque#1 \"a lambda\"", NFX_ARG_OPAQUE, "a lambda", 0},
        ArgumentCase{"named my.Pair(1, %x)", NFX_ARG_NAMED_TUPLE, "my.Pair", 2},
        ArgumentCase{"slice(None, %x, 2)", NFX_ARG_SLICE, "", 3},
        ArgumentCase{"range(0, 4, 1)", NFX_ARG_RANGE, "", 3}));

TEST_F(Reading, OperandsInsideStructures) {
  read(R"(graph @main {
  %x = placeholder "x"
  %y = placeholder "y"
  %z = call my.f([1, [%x, 2]], (%y, %x))
  output(%z)
}
)");
  nfx_argument inner{}, leaf{};
  ASSERT_EQ(nfx_argument_child(graph_, positional(find("z"), 1), 1, &leaf), NFX_OK);
  EXPECT_EQ(argument(leaf).node, find("x"));
  ASSERT_EQ(nfx_argument_child(graph_, positional(find("z"), 0), 1, &inner), NFX_OK);
  ASSERT_EQ(nfx_argument_child(graph_, inner, 0, &leaf), NFX_OK);
  EXPECT_EQ(argument(leaf).node, find("x"));
}

TEST_F(Reading, Types) {
  read(kGraph);
  auto type = sized<nfx_type_info>();
  ASSERT_EQ(nfx_type_read(graph_, info(find("x")).type, &type), NFX_OK);
  EXPECT_EQ(type.kind, NFX_TYPE_TENSOR);
  EXPECT_EQ(type.dtype, NFX_FLOAT32);
  EXPECT_EQ(type.rank, 2U);
  EXPECT_EQ(text(type.device), "cpu");
  EXPECT_EQ(text(type.layout), "strided");
  EXPECT_EQ(text(nfx_dtype_name(type.dtype)), "float32");
  auto number = sized<nfx_number>();
  ASSERT_EQ(nfx_type_size(graph_, info(find("x")).type, 0, &number), NFX_OK);
  EXPECT_EQ(number.is_constant, 0U);
  EXPECT_EQ(text(number.text), "s0");
  ASSERT_EQ(nfx_type_stride(graph_, info(find("x")).type, 0, &number), NFX_OK);
  EXPECT_EQ(number.is_constant, 1U);
  EXPECT_EQ(number.value, 4);
  EXPECT_EQ(nfx_type_size(graph_, info(find("x")).type, 2, &number), NFX_OUT_OF_RANGE);

  const nfx_type tuple = info(find("t")).type;
  ASSERT_EQ(nfx_type_read(graph_, tuple, &type), NFX_OK);
  EXPECT_EQ(type.kind, NFX_TYPE_TUPLE);
  EXPECT_EQ(type.num_elements, 2U);
  nfx_type element = 0;
  ASSERT_EQ(nfx_type_element(graph_, tuple, 1, &element), NFX_OK);
  ASSERT_EQ(nfx_type_size(graph_, element, 0, &number), NFX_OK);
  EXPECT_EQ(number.value, 1);
  EXPECT_EQ(nfx_type_element(graph_, tuple, 2, &element), NFX_OUT_OF_RANGE);
}

TEST_F(Reading, Attributes) {
  read(R"(graph @main {
  attribute "body" = graph @body {
    %a = placeholder "a"
    output(%a)
  }
  %x = placeholder "x"
  output(%x)
}
)");
  size_t count = 0;
  ASSERT_EQ(nfx_graph_num_attributes(graph_, &count), NFX_OK);
  ASSERT_EQ(count, 1U);
  auto attribute = sized<nfx_attribute_info>();
  ASSERT_EQ(nfx_graph_attribute(graph_, 0, &attribute), NFX_OK);
  EXPECT_EQ(text(attribute.name), "body");
  EXPECT_EQ(attribute.is_graph, 1U);
  EXPECT_EQ(nfx_graph_attribute(graph_, 1, &attribute), NFX_OUT_OF_RANGE);
  nfx_graph* body = nullptr;
  ASSERT_EQ(nfx_graph_subgraph(graph_, str("body"), &body), NFX_OK);
  size_t size = 0;
  EXPECT_EQ(nfx_graph_size(body, &size), NFX_OK);
  EXPECT_EQ(size, 2U);
  EXPECT_EQ(nfx_graph_subgraph(graph_, str("head"), &body), NFX_NOT_FOUND);
  nfx_graph_free(body);
}

TEST_F(Reading, TextAndCloneAreEqual) {
  read(kGraph);
  EXPECT_EQ(nfx_graph_verify(graph_, nullptr), NFX_OK);
  const std::string before = print();
  nfx_graph* clone = nullptr;
  ASSERT_EQ(nfx_graph_clone(graph_, &clone), NFX_OK);
  nfx_graph_free(graph_);
  graph_ = clone;
  EXPECT_EQ(print(), before);
}

TEST_F(Reading, Files) {
  const std::string path = ::testing::TempDir() + "/capi_read_test.nfx";
  std::ofstream(path) << kGraph;
  ASSERT_EQ(nfx_graph_read_file(context_, str(path), &graph_, nullptr), NFX_OK);
  nfx_diagnostic* diagnostic = nullptr;
  nfx_graph* none = nullptr;
  EXPECT_EQ(nfx_graph_read_file(context_, str("/does/not/exist"), &none, &diagnostic),
            NFX_NOT_FOUND);
  EXPECT_EQ(code(diagnostic), "cannot-read");
}

TEST_F(Reading, ADiagnosticSaysWhere) {
  nfx_diagnostic* diagnostic = nullptr;
  EXPECT_EQ(nfx_graph_parse(context_, str("graph @main {\n  %x = nonsense\n}\n"), str("some.nfx"),
                            &graph_, &diagnostic),
            NFX_INVALID);
  ASSERT_NE(diagnostic, nullptr);
  auto found = sized<nfx_diagnostic_info>();
  ASSERT_EQ(nfx_diagnostic_read(diagnostic, &found), NFX_OK);
  EXPECT_EQ(text(found.file), "some.nfx");
  EXPECT_EQ(found.line, 2);
  EXPECT_GT(found.code.size, 0U);
  nfx_diagnostic_free(diagnostic);
}

TEST_F(Reading, ThreadsReadAtOnce) {
  read(kGraph);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this] {
      for (int i = 0; i < 200; ++i) {
        const nfx_node y = find("y");
        EXPECT_EQ(info(y).num_operands, 2U);
        EXPECT_EQ(argument(positional(y, 1)).node, find("w"));
        auto number = sized<nfx_number>();
        EXPECT_EQ(nfx_type_size(graph_, info(y).type, 0, &number), NFX_OK);
        EXPECT_FALSE(print().empty());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(CProgram, ReplacesAdditions) {
  nfx_status status = NFX_FAILED;
  char* printed = double_instead_of_add(
      "graph @main {\n  %x = placeholder \"x\"\n  %y = call aten.add.Tensor(%x, %x) meta(source "
      "\"m.py:3\")\n"
      "  output(%y)\n}\n",
      &status);
  ASSERT_EQ(status, NFX_OK);
  EXPECT_NE(std::string(printed).find("m.py:3"), std::string::npos) << printed;
  EXPECT_NE(std::string(printed).find("call aten.mul.Tensor(%x, 2)"), std::string::npos) << printed;
  EXPECT_EQ(std::string(printed).find("aten.add"), std::string::npos) << printed;
  nfx_text_free(printed);
}

}  // namespace
}  // namespace nfx
