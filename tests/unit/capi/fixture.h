// A graph behind the C interface, and short ways to ask it.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "nativefx/nativefx.h"

namespace nfx::testing {

inline nfx_string str(std::string_view text) { return {text.data(), text.size()}; }
inline std::string text(nfx_string given) { return {given.data, given.size}; }

template <class T>
T sized() {
  T made{};
  made.struct_size = sizeof(T);
  return made;
}

class CGraph : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(nfx_context_create(NFX_ABI_VERSION, &context_), NFX_OK); }
  void TearDown() override {
    nfx_graph_free(graph_);
    nfx_context_free(context_);
  }

  void read(std::string_view source) {
    nfx_diagnostic* diagnostic = nullptr;
    const nfx_status status =
        nfx_graph_parse(context_, str(source), str("test"), &graph_, &diagnostic);
    ASSERT_EQ(status, NFX_OK) << message(diagnostic);
  }
  nfx_node find(std::string_view name) {
    nfx_node node = 0;
    EXPECT_EQ(nfx_graph_find(graph_, str(name), &node), NFX_OK) << name;
    return node;
  }
  nfx_node_info info(nfx_node node) {
    auto made = sized<nfx_node_info>();
    EXPECT_EQ(nfx_node_read(graph_, node, &made), NFX_OK);
    return made;
  }
  nfx_argument_info argument(nfx_argument place) {
    auto made = sized<nfx_argument_info>();
    EXPECT_EQ(nfx_argument_read(graph_, place, &made), NFX_OK);
    return made;
  }
  nfx_argument positional(nfx_node node, size_t index) {
    nfx_argument place{};
    EXPECT_EQ(nfx_node_positional(graph_, node, index, &place), NFX_OK);
    return place;
  }
  std::string print() {
    char* printed = nullptr;
    size_t size = 0;
    EXPECT_EQ(nfx_graph_print(graph_, &printed, &size), NFX_OK);
    std::string made(printed, size);
    nfx_text_free(printed);
    return made;
  }
  // The code of a diagnostic, which is freed.
  static std::string code(nfx_diagnostic* diagnostic) {
    if (diagnostic == nullptr) return {};
    auto made = sized<nfx_diagnostic_info>();
    EXPECT_EQ(nfx_diagnostic_read(diagnostic, &made), NFX_OK);
    EXPECT_GT(made.message.size, 0U);
    std::string found = text(made.code);
    nfx_diagnostic_free(diagnostic);
    return found;
  }
  static std::string message(nfx_diagnostic* diagnostic) {
    if (diagnostic == nullptr) return {};
    auto made = sized<nfx_diagnostic_info>();
    nfx_diagnostic_read(diagnostic, &made);
    return text(made.message);
  }

  nfx_context* context_ = nullptr;
  nfx_graph* graph_ = nullptr;
};

}  // namespace nfx::testing
