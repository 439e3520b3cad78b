// Every function with every kind of bad input: a status, no crash, nothing written.
#include <cstddef>

#include "capi/fixture.h"

namespace nfx {
namespace {

using testing::sized;
using testing::str;

class BadInput : public testing::CGraph {
 protected:
  void SetUp() override {
    CGraph::SetUp();
    read(
        "graph @main {\n  %x = placeholder \"x\" : float32[4]\n"
        "  %y = call my.f(%x, [1, %x], k=2)\n  output(%y)\n}\n");
    ASSERT_EQ(nfx_graph_parse(context_, str("graph @other {\n}\n"), str(""), &other_, nullptr),
              NFX_OK);
  }
  void TearDown() override {
    nfx_graph_free(other_);
    CGraph::TearDown();
  }

  // Numbers that name no node: none, an erased one would do too, and far ones.
  static constexpr nfx_node kNoNodes[] = {0, 4, 1000, 0x7fffffff, 0xffffffff};
  static constexpr nfx_string kNullText{nullptr, 3};
  nfx_graph* other_ = nullptr;
};

TEST_F(BadInput, Versions) {
  nfx_context* context = nullptr;
  for (const uint32_t version : {0U, NFX_ABI_VERSION + 1, (NFX_ABI_MAJOR + 1) << 16, ~0U})
    EXPECT_EQ(nfx_context_create(version, &context), NFX_BAD_VERSION);
  EXPECT_EQ(nfx_context_create(NFX_ABI_VERSION, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(context, nullptr);
  EXPECT_EQ(nfx_abi_version(), NFX_ABI_VERSION);
  EXPECT_EQ(nfx_dtype_name(-1).size, 0U);
  EXPECT_EQ(nfx_dtype_name(1000).size, 0U);
}

TEST_F(BadInput, FreeingNothing) {
  nfx_context_free(nullptr);
  nfx_graph_free(nullptr);
  nfx_diagnostic_free(nullptr);
  nfx_text_free(nullptr);
}

TEST_F(BadInput, Graphs) {
  nfx_graph* graph = nullptr;
  EXPECT_EQ(nfx_graph_create(nullptr, str("g"), &graph), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_graph_create(context_, kNullText, &graph), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_graph_create(context_, str("g"), nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_graph_parse(nullptr, str(""), str(""), &graph, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_graph_parse(context_, kNullText, str(""), &graph, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_graph_parse(context_, str(""), kNullText, &graph, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_graph_parse(context_, str(""), str(""), nullptr, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_graph_parse(context_, str("no graph"), str(""), &graph, nullptr), NFX_INVALID);
  EXPECT_EQ(nfx_graph_read_file(nullptr, str("f"), &graph, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_graph_read_file(context_, kNullText, &graph, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_graph_clone(nullptr, &graph), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_graph_clone(graph_, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(graph, nullptr);
  char* printed = nullptr;
  size_t size = 0;
  EXPECT_EQ(nfx_graph_print(nullptr, &printed, &size), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_graph_print(graph_, nullptr, &size), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_graph_print(graph_, &printed, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_graph_verify(nullptr, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_graph_name(graph_, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_graph_size(nullptr, &size), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_graph_size(graph_, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_graph_num_attributes(nullptr, &size), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_graph_subgraph(graph_, kNullText, &graph), NFX_BAD_ARGUMENT);
  nfx_node node = 0;
  EXPECT_EQ(nfx_graph_first(nullptr, &node), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_graph_first(graph_, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_graph_find(graph_, kNullText, &node), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_graph_find(graph_, str("nobody"), &node), NFX_NOT_FOUND);
  EXPECT_EQ(nfx_graph_find(graph_, str(""), &node), NFX_NOT_FOUND);
}

TEST_F(BadInput, ReadingNoNode) {
  auto info = sized<nfx_node_info>();
  nfx_node node = 0;
  size_t count = 0;
  nfx_argument place{};
  nfx_string name{};
  for (const nfx_node none : kNoNodes) {
    EXPECT_EQ(nfx_node_read(graph_, none, &info), NFX_BAD_ARGUMENT) << none;
    EXPECT_EQ(nfx_node_operand(graph_, none, 0, &node), NFX_BAD_ARGUMENT);
    EXPECT_EQ(nfx_node_users(graph_, none, nullptr, 0, &count), NFX_BAD_ARGUMENT);
    EXPECT_EQ(nfx_node_positional(graph_, none, 0, &place), NFX_BAD_ARGUMENT);
    EXPECT_EQ(nfx_node_keyword(graph_, none, 0, &name, &place), NFX_BAD_ARGUMENT);
    EXPECT_EQ(nfx_node_argument(graph_, none, str("a"), &place), NFX_BAD_ARGUMENT);
  }
  EXPECT_EQ(nfx_node_read(nullptr, 1, &info), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_node_read(other_, 1, &info), NFX_BAD_ARGUMENT);  // a node of another graph
  EXPECT_EQ(nfx_node_read(graph_, 1, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_node_users(graph_, 1, nullptr, 2, &count), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_node_users(graph_, 1, nullptr, 0, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_node_operand(graph_, 2, SIZE_MAX, &node), NFX_OUT_OF_RANGE);
  EXPECT_EQ(nfx_node_positional(graph_, 2, SIZE_MAX, &place), NFX_OUT_OF_RANGE);
  EXPECT_EQ(nfx_node_positional(graph_, 1, 0, &place), NFX_OUT_OF_RANGE);
  EXPECT_EQ(nfx_node_keyword(graph_, 2, SIZE_MAX / 2 + 1, &name, &place), NFX_OUT_OF_RANGE);
  EXPECT_EQ(nfx_node_argument(graph_, 2, kNullText, &place), NFX_BAD_ARGUMENT);
}

TEST_F(BadInput, StructsOfAnotherSize) {
  auto node = sized<nfx_node_info>();
  auto type = sized<nfx_type_info>();
  auto number = sized<nfx_number>();
  for (const uint32_t size : {0U, 4U}) {
    node.struct_size = type.struct_size = number.struct_size = size;
    EXPECT_EQ(nfx_node_read(graph_, 1, &node), NFX_BAD_ARGUMENT);
    EXPECT_EQ(nfx_type_read(graph_, 1, &type), NFX_BAD_ARGUMENT);
    EXPECT_EQ(nfx_type_size(graph_, info(1).type, 0, &number), NFX_BAD_ARGUMENT);
  }
  // A caller of a later version knows more fields; they stay as they are.
  struct Later {
    nfx_node_info known;
    uint64_t unknown;
  } later{};
  later.known.struct_size = sizeof later;
  later.unknown = 77;
  EXPECT_EQ(nfx_node_read(graph_, 1, &later.known), NFX_OK);
  EXPECT_EQ(later.known.struct_size, sizeof later);
  EXPECT_EQ(later.unknown, 77U);
}

TEST_F(BadInput, ForgedArguments) {
  auto info = sized<nfx_argument_info>();
  nfx_argument child{};
  const nfx_argument list = positional(2, 1);
  const nfx_argument forged[] = {
      {0, list.structure, 0}, {1000, list.structure, 0}, {2, 0, 0},
      {2, 0xffffffff, 0},     {2, list.structure, 2},    {2, list.structure, 0xffffffff},
      {1, list.structure, 0},  // a node with fewer operands
  };
  for (const nfx_argument& argument : forged) {
    EXPECT_EQ(nfx_argument_read(graph_, argument, &info), NFX_BAD_ARGUMENT);
    EXPECT_EQ(nfx_argument_child(graph_, argument, 0, &child), NFX_BAD_ARGUMENT);
  }
  EXPECT_EQ(nfx_argument_read(nullptr, list, &info), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_argument_read(graph_, list, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_argument_child(graph_, list, 0, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_argument_child(graph_, list, SIZE_MAX, &child), NFX_OUT_OF_RANGE);
}

TEST_F(BadInput, Types) {
  auto info = sized<nfx_type_info>();
  auto number = sized<nfx_number>();
  nfx_type type = 0;
  for (const nfx_type none : {1000U, 0xffffffffU}) {
    EXPECT_EQ(nfx_type_read(graph_, none, &info), NFX_BAD_ARGUMENT);
    EXPECT_EQ(nfx_type_size(graph_, none, 0, &number), NFX_BAD_ARGUMENT);
    EXPECT_EQ(nfx_type_stride(graph_, none, 0, &number), NFX_BAD_ARGUMENT);
    EXPECT_EQ(nfx_type_element(graph_, none, 0, &type), NFX_BAD_ARGUMENT);
    EXPECT_EQ(nfx_node_set_type(graph_, 1, none), NFX_BAD_ARGUMENT);
  }
  EXPECT_EQ(nfx_type_size(graph_, 0, 0, &number), NFX_OUT_OF_RANGE);  // unknown has no sizes
  const nfx_string empty[] = {str("")};
  EXPECT_EQ(nfx_type_tensor(nullptr, NFX_FLOAT32, nullptr, 0, str(""), &type), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_type_tensor(graph_, -1, nullptr, 0, str(""), &type), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_type_tensor(graph_, NFX_FLOAT32, nullptr, 1, str(""), &type), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_type_tensor(graph_, NFX_FLOAT32, empty, 1, str(""), &type), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_type_tensor(graph_, NFX_FLOAT32, &kNullText, 1, str(""), &type), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_type_tensor(graph_, NFX_FLOAT32, nullptr, 0, str(""), nullptr), NFX_BAD_ARGUMENT);
}

TEST_F(BadInput, Edits) {
  const std::string before = print();
  nfx_value value{};
  value.kind = NFX_ARG_INT;
  for (const nfx_node none : kNoNodes) {
    EXPECT_EQ(nfx_node_set_operand(graph_, none, 0, 1, nullptr), NFX_BAD_ARGUMENT);
    EXPECT_EQ(nfx_node_set_operand(graph_, 2, 0, none, nullptr), NFX_BAD_ARGUMENT);
    EXPECT_EQ(nfx_node_set_positional(graph_, none, 0, &value, nullptr), NFX_BAD_ARGUMENT);
    EXPECT_EQ(nfx_node_set_keyword(graph_, none, str("k"), &value, nullptr), NFX_BAD_ARGUMENT);
    EXPECT_EQ(nfx_node_set_type(graph_, none, 0), NFX_BAD_ARGUMENT);
    EXPECT_EQ(nfx_node_set_name(graph_, none, str("n")), NFX_BAD_ARGUMENT);
    EXPECT_EQ(nfx_node_replace_uses(graph_, none, 1, nullptr), NFX_BAD_ARGUMENT);
    EXPECT_EQ(nfx_node_replace_uses(graph_, 1, none, nullptr), NFX_BAD_ARGUMENT);
    EXPECT_EQ(nfx_node_move_before(graph_, none, 1, nullptr), NFX_BAD_ARGUMENT);
    EXPECT_EQ(nfx_node_move_before(graph_, 1, none, nullptr), NFX_BAD_ARGUMENT);
    EXPECT_EQ(nfx_node_erase(graph_, none, nullptr), NFX_BAD_ARGUMENT);
  }
  EXPECT_EQ(nfx_node_set_operand(graph_, 2, SIZE_MAX, 1, nullptr), NFX_OUT_OF_RANGE);
  EXPECT_EQ(nfx_node_set_operand(nullptr, 2, 0, 1, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_node_set_positional(graph_, 2, 0, nullptr, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_node_set_positional(graph_, 2, SIZE_MAX, &value, nullptr), NFX_OUT_OF_RANGE);
  EXPECT_EQ(nfx_node_set_keyword(graph_, 2, str(""), &value, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_node_set_keyword(graph_, 2, kNullText, &value, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_node_set_name(graph_, 2, str("")), NFX_BAD_ARGUMENT);
  EXPECT_EQ(print(), before);
}

TEST_F(BadInput, Specs) {
  const std::string before = print();
  nfx_node made = 0;
  auto good = sized<nfx_node_spec>();
  good.kind = NFX_CALL_FUNCTION;
  good.target = str("my.f");
  const auto refused = [&](auto spoil) {
    nfx_node_spec spec = good;
    spoil(spec);
    return nfx_node_create(graph_, &spec, &made, nullptr);
  };
  EXPECT_EQ(refused([](auto& s) { s.struct_size = 0; }), NFX_BAD_ARGUMENT);
  EXPECT_EQ(refused([](auto& s) { s.kind = -1; }), NFX_BAD_ARGUMENT);
  EXPECT_EQ(refused([](auto& s) { s.kind = 6; }), NFX_BAD_ARGUMENT);
  EXPECT_EQ(refused([](auto& s) { s.target = str(""); }), NFX_BAD_ARGUMENT);
  EXPECT_EQ(refused([](auto& s) { s.target = kNullText; }), NFX_BAD_ARGUMENT);
  EXPECT_EQ(refused([](auto& s) { s.name = kNullText; }), NFX_BAD_ARGUMENT);
  EXPECT_EQ(refused([](auto& s) { s.num_positional = 1; }), NFX_BAD_ARGUMENT);
  EXPECT_EQ(refused([](auto& s) { s.num_keywords = 1; }), NFX_BAD_ARGUMENT);
  EXPECT_EQ(refused([](auto& s) { s.type = 1000; }), NFX_BAD_ARGUMENT);
  EXPECT_EQ(refused([](auto& s) { s.before = 1000; }), NFX_BAD_ARGUMENT);
  EXPECT_EQ(refused([](auto& s) { s.replaces = 1000; }), NFX_BAD_ARGUMENT);
  nfx_keyword nameless{};
  EXPECT_EQ(refused([&](auto& s) { s.keywords = &nameless, s.num_keywords = 1; }), NFX_INVALID);
  EXPECT_EQ(nfx_node_create(graph_, nullptr, &made, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_node_create(graph_, &good, nullptr, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_node_create(nullptr, &good, &made, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(made, 0U);
  EXPECT_EQ(print(), before);
}

TEST_F(BadInput, Diagnostics) {
  auto info = sized<nfx_diagnostic_info>();
  EXPECT_EQ(nfx_diagnostic_read(nullptr, &info), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_diagnostic_create(kNullText, str(""), str("")), nullptr);
  nfx_diagnostic* made = nfx_diagnostic_create(str("code"), str("message"), str("help"));
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(nfx_diagnostic_read(made, nullptr), NFX_BAD_ARGUMENT);
  EXPECT_EQ(nfx_diagnostic_read(made, &info), NFX_OK);
  EXPECT_EQ(testing::text(info.help), "help");
  nfx_diagnostic_free(made);
}

}  // namespace
}  // namespace nfx
