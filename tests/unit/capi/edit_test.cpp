#include <vector>

#include "capi/fixture.h"

namespace nfx {
namespace {

using testing::sized;
using testing::str;
using testing::text;

constexpr std::string_view kGraph = R"(graph @main {
  %x = placeholder "x" : float32[4]
  %y = placeholder "y" : float32[4]
  %a = call aten.neg.default(%x) : float32[4]
  %b = call aten.add.Tensor(%a, %y, alpha=2) : float32[4]
  output((%b, %a))
}
)";

class Editing : public testing::CGraph {
 protected:
  void SetUp() override {
    CGraph::SetUp();
    read(kGraph);
  }
  static nfx_value node_value(nfx_node node) {
    nfx_value value{};
    value.kind = NFX_ARG_NODE;
    value.node = node;
    return value;
  }
  static nfx_value int_value(int64_t integer) {
    nfx_value value{};
    value.kind = NFX_ARG_INT;
    value.integer = integer;
    return value;
  }
  static nfx_node_spec call(std::string_view target, const std::vector<nfx_value>& arguments) {
    auto spec = sized<nfx_node_spec>();
    spec.kind = NFX_CALL_FUNCTION;
    spec.target = str(target);
    spec.positional = arguments.data();
    spec.num_positional = arguments.size();
    return spec;
  }
  // Creates it and expects a refusal with this code, and an unchanged graph.
  void expect_refusal(const nfx_node_spec& spec, const char* expected) {
    const std::string before = print();
    nfx_diagnostic* diagnostic = nullptr;
    nfx_node made = 0;
    EXPECT_EQ(nfx_node_create(graph_, &spec, &made, &diagnostic), NFX_INVALID);
    EXPECT_EQ(code(diagnostic), expected);
    EXPECT_EQ(print(), before);
  }
};

TEST_F(Editing, CreateGoesBeforeTheOutputAndPlaceholdersTogether) {
  const std::vector<nfx_value> arguments = {node_value(find("b")), node_value(find("x"))};
  nfx_node_spec spec = call("aten.mul.Tensor", arguments);
  const nfx_string sizes[] = {str("s0"), str("4")};
  ASSERT_EQ(nfx_type_tensor(graph_, NFX_FLOAT32, sizes, 2, str("cpu"), &spec.type), NFX_OK);
  nfx_node made = 0;
  ASSERT_EQ(nfx_node_create(graph_, &spec, &made, nullptr), NFX_OK);
  auto input = sized<nfx_node_spec>();
  input.kind = NFX_PLACEHOLDER;
  input.target = str("z");
  nfx_node placeholder = 0;
  ASSERT_EQ(nfx_node_create(graph_, &input, &placeholder, nullptr), NFX_OK);
  EXPECT_EQ(nfx_graph_verify(graph_, nullptr), NFX_OK);
  EXPECT_NE(print().find(R"(  %x = placeholder "x" : float32[4]
  %y = placeholder "y" : float32[4]
  %z = placeholder "z"
  %a = call aten.neg.default(%x) : float32[4]
  %b = call aten.add.Tensor(%a, %y, alpha=2) : float32[4] users(%output, %mul)
  %mul = call aten.mul.Tensor(%b, %x) : float32[s0, 4]
)"),
            std::string::npos)
      << print();
}

TEST_F(Editing, BuildAGraphFromNothing) {
  nfx_graph_free(graph_);
  graph_ = nullptr;
  ASSERT_EQ(nfx_graph_create(context_, str("made"), &graph_), NFX_OK);
  nfx_node node = 1;
  ASSERT_EQ(nfx_graph_first(graph_, &node), NFX_OK);
  EXPECT_EQ(node, 0U);
  auto input = sized<nfx_node_spec>();
  input.kind = NFX_PLACEHOLDER;
  input.target = str("x");
  nfx_node x = 0, y = 0, output = 0;
  ASSERT_EQ(nfx_node_create(graph_, &input, &x, nullptr), NFX_OK);
  nfx_value dims[] = {int_value(2), int_value(-1)};
  nfx_value list{};
  list.kind = NFX_ARG_LIST;
  list.children = dims;
  list.num_children = 2;
  const std::vector<nfx_value> arguments = {node_value(x), list};
  const nfx_node_spec view = call("aten.view.default", arguments);
  ASSERT_EQ(nfx_node_create(graph_, &view, &y, nullptr), NFX_OK);
  const std::vector<nfx_value> result = {node_value(y)};
  nfx_node_spec last = call("output", result);
  last.kind = NFX_OUTPUT;
  ASSERT_EQ(nfx_node_create(graph_, &last, &output, nullptr), NFX_OK);
  EXPECT_EQ(nfx_graph_verify(graph_, nullptr), NFX_OK);
  EXPECT_EQ(print(), R"(graph @made {
  %x = placeholder "x"
  %view = call aten.view.default(%x, [2, -1])
  output(%view)
}
)");
  expect_refusal(last, "edit-place");
}

TEST_F(Editing, OrderIsKept) {
  const std::vector<nfx_value> arguments = {node_value(find("b"))};
  nfx_node_spec spec = call("aten.exp.default", arguments);
  spec.before = find("a");
  expect_refusal(spec, "edit-order");
  spec.before = find("y");
  expect_refusal(spec, "edit-place");
  auto input = sized<nfx_node_spec>();
  input.kind = NFX_PLACEHOLDER;
  input.target = str("z");
  input.before = find("b");
  expect_refusal(input, "edit-place");

  nfx_diagnostic* diagnostic = nullptr;
  EXPECT_EQ(nfx_node_set_operand(graph_, find("a"), 0, find("b"), &diagnostic), NFX_INVALID);
  EXPECT_EQ(code(diagnostic), "edit-order");
  EXPECT_EQ(nfx_node_replace_uses(graph_, find("x"), find("b"), &diagnostic), NFX_INVALID);
  EXPECT_EQ(code(diagnostic), "edit-order");
  EXPECT_EQ(nfx_node_move_before(graph_, find("b"), find("a"), &diagnostic), NFX_INVALID);
  EXPECT_EQ(code(diagnostic), "edit-order");
  EXPECT_EQ(nfx_node_move_before(graph_, find("a"), find("output"), &diagnostic), NFX_INVALID);
  EXPECT_EQ(code(diagnostic), "edit-order");
  EXPECT_EQ(nfx_node_move_before(graph_, find("b"), find("x"), &diagnostic), NFX_INVALID);
  EXPECT_EQ(code(diagnostic), "edit-place");
  const nfx_value late = node_value(find("b"));
  EXPECT_EQ(nfx_node_set_positional(graph_, find("a"), 0, &late, &diagnostic), NFX_INVALID);
  EXPECT_EQ(code(diagnostic), "edit-order");
  EXPECT_EQ(nfx_node_erase(graph_, find("a"), &diagnostic), NFX_INVALID);
  EXPECT_EQ(code(diagnostic), "edit-uses");
  std::string expected(kGraph);
  EXPECT_EQ(print(), expected);
}

TEST_F(Editing, ReplaceUsesThenErase) {
  const nfx_node a = find("a"), b = find("b");
  ASSERT_EQ(nfx_node_replace_uses(graph_, a, find("x"), nullptr), NFX_OK);
  ASSERT_EQ(nfx_node_erase(graph_, a, nullptr), NFX_OK);
  EXPECT_EQ(print(), R"(graph @main {
  %x = placeholder "x" : float32[4]
  %y = placeholder "y" : float32[4]
  %b = call aten.add.Tensor(%x, %y, alpha=2) : float32[4]
  output((%b, %x))
}
)");
  // The number of what was erased is no node any more, and not used again.
  auto info = sized<nfx_node_info>();
  EXPECT_EQ(nfx_node_read(graph_, a, &info), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_node_erase(graph_, a, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_node_set_operand(graph_, b, 0, a, nullptr), NFX_BAD_ARGUMENT);
}

TEST_F(Editing, ArgumentsTypesNames) {
  const nfx_node b = find("b");
  const nfx_value three = int_value(3), x = node_value(find("x"));
  ASSERT_EQ(nfx_node_set_keyword(graph_, b, str("alpha"), &three, nullptr), NFX_OK);
  ASSERT_EQ(nfx_node_set_positional(graph_, b, 1, &x, nullptr), NFX_OK);
  ASSERT_EQ(nfx_node_set_keyword(graph_, b, str("extra"), &x, nullptr), NFX_OK);
  ASSERT_EQ(nfx_node_set_positional(graph_, b, 2, &three, nullptr), NFX_OK);
  EXPECT_EQ(nfx_node_set_positional(graph_, b, 4, &three, nullptr), NFX_OUT_OF_RANGE);
  ASSERT_EQ(nfx_node_set_operand(graph_, b, 0, find("y"), nullptr), NFX_OK);
  ASSERT_EQ(nfx_node_set_name(graph_, b, str("x")), NFX_OK);  // taken: gets a number
  ASSERT_EQ(nfx_node_set_type(graph_, b, 0), NFX_OK);
  EXPECT_EQ(print(), R"(graph @main {
  %x = placeholder "x" : float32[4]
  %y = placeholder "y" : float32[4]
  %a = call aten.neg.default(%x) : float32[4]
  %x_1 = call aten.add.Tensor(%y, %x, 3, alpha=3, extra=%x)
  output((%x_1, %a))
}
)");
}

TEST_F(Editing, MoveBefore) {
  const std::vector<nfx_value> arguments = {node_value(find("y"))};
  nfx_node_spec spec = call("aten.exp.default", arguments);
  nfx_node made = 0;
  ASSERT_EQ(nfx_node_create(graph_, &spec, &made, nullptr), NFX_OK);
  ASSERT_EQ(nfx_node_move_before(graph_, made, find("a"), nullptr), NFX_OK);
  EXPECT_EQ(info(made).next, find("a"));
  EXPECT_EQ(nfx_graph_verify(graph_, nullptr), NFX_OK);
}

struct Made {
  const char* spelling;
  nfx_value value;
};
nfx_value of_kind(nfx_argument_kind kind) {
  nfx_value value{};
  value.kind = kind;
  return value;
}
nfx_value of_text(nfx_argument_kind kind, const char* text) {
  nfx_value value = of_kind(kind);
  value.text = str(text);
  return value;
}
nfx_value of_children(nfx_argument_kind kind, const std::vector<nfx_value>& children) {
  nfx_value value = of_kind(kind);
  value.children = children.data();
  value.num_children = children.size();
  return value;
}

TEST_F(Editing, EveryKindThatCanBeMade) {
  nfx_value real = of_kind(NFX_ARG_FLOAT), complex = of_kind(NFX_ARG_COMPLEX);
  nfx_value dtype = of_kind(NFX_ARG_DTYPE), yes = of_kind(NFX_ARG_BOOL);
  real.real = -0.0;
  complex.real = 1;
  complex.imag = -2;
  dtype.dtype = NFX_BFLOAT16;
  yes.integer = 1;
  const std::vector<nfx_value> two = {int_value(1), node_value(find("x"))};
  const std::vector<nfx_value> three = {of_kind(NFX_ARG_NONE), int_value(4), int_value(1)};
  const std::vector<nfx_value> pair = {of_text(NFX_ARG_STRING, "k"), int_value(5)};
  nfx_value plain_list = of_children(NFX_ARG_LIST, two);
  plain_list.is_mutable = 1;
  const Made cases[] = {
      {"None", of_kind(NFX_ARG_NONE)},
      {"True", yes},
      {"-0.0", real},
      {"complex(1.0, -2.0)", complex},
      {"\"gelu\"", of_text(NFX_ARG_STRING, "gelu")},
      {"...", of_kind(NFX_ARG_ELLIPSIS)},
      {"dtype(bfloat16)", dtype},
      {"device(\"cuda:0\")", of_text(NFX_ARG_DEVICE, "cuda:0")},
      {"layout(strided)", of_text(NFX_ARG_LAYOUT, "strided")},
      {"memory_format(channels_last)", of_text(NFX_ARG_MEMORY_FORMAT, "channels_last")},
      {"sym(2*s0)", of_text(NFX_ARG_SYMBOLIC, "s0*2")},
      {"(1, %x)", of_children(NFX_ARG_TUPLE, two)},
      {"[1, %x]", of_children(NFX_ARG_LIST, two)},
      {"slice(None, 4, 1)", of_children(NFX_ARG_SLICE, three)},
      {"range(None, 4, 1)", of_children(NFX_ARG_RANGE, three)},
      {"{\"k\": 5}", of_children(NFX_ARG_DICT, pair)},
      {"op(aten.add.Tensor)", of_text(NFX_ARG_OP, "aten.add.Tensor")},
  };
  for (const Made& made : cases) {
    nfx_diagnostic* diagnostic = nullptr;
    ASSERT_EQ(nfx_node_set_positional(graph_, find("b"), 2, &made.value, &diagnostic), NFX_OK)
        << made.spelling << ": " << code(diagnostic);
    EXPECT_NE(print().find(std::string(", ") + made.spelling + ", alpha=2)"), std::string::npos)
        << made.spelling << "\n"
        << print();
  }
  ASSERT_EQ(nfx_node_set_positional(graph_, find("b"), 2, &plain_list, nullptr), NFX_OK);
  EXPECT_EQ(argument(positional(find("b"), 2)).is_mutable, 1U);
}

TEST_F(Editing, ValuesThatCannotBeMade) {
  const std::vector<nfx_value> one = {int_value(1)};
  nfx_value bad_dtype = of_kind(NFX_ARG_DTYPE), null_text = of_kind(NFX_ARG_STRING);
  nfx_value null_children = of_kind(NFX_ARG_LIST), endless = of_kind(NFX_ARG_LIST);
  bad_dtype.dtype = 1000;
  null_text.text.size = 3;
  null_children.num_children = 2;
  endless.children = &endless;
  endless.num_children = 1;
  const nfx_value cases[] = {
      node_value(0),
      node_value(1000),
      bad_dtype,
      null_text,
      null_children,
      endless,
      of_kind(-1),
      of_kind(1000),
      of_kind(NFX_ARG_SYMBOLIC),
      of_kind(NFX_ARG_OPAQUE),
      of_children(NFX_ARG_NAMED_TUPLE, one),
      of_children(NFX_ARG_SLICE, one),
      of_children(NFX_ARG_RANGE, one),
      of_children(NFX_ARG_DICT, one),
  };
  for (const nfx_value& value : cases) {
    nfx_diagnostic* diagnostic = nullptr;
    EXPECT_EQ(nfx_node_set_positional(graph_, find("b"), 1, &value, &diagnostic), NFX_INVALID)
        << value.kind;
    EXPECT_EQ(code(diagnostic), "bad-argument-value");
    const std::vector<nfx_value> arguments = {value};
    expect_refusal(call("my.f", arguments), "bad-argument-value");
  }
  EXPECT_EQ(print(), kGraph);
}

}  // namespace
}  // namespace nfx
