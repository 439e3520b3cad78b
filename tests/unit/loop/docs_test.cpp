// Every kernel in docs/loops.md is printed as it stands there.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "loop/kernels.h"
#include "loop/print.h"

namespace nfx {
namespace {

std::vector<std::string> kernels_of(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::string> kernels;
  std::string line;
  std::string block;
  bool is_inside = false;
  while (std::getline(in, line)) {
    if (!is_inside && line == "```text") {
      is_inside = true;
      block.clear();
    } else if (is_inside && line == "```") {
      is_inside = false;
      const bool is_grammar = block.starts_with("kernel  ");
      if (block.starts_with("kernel ") && !is_grammar) kernels.push_back(block);
    } else if (is_inside) {
      block += line + "\n";
    }
  }
  return kernels;
}

TEST(LoopDocs, KernelsAreAsPrinted) {
  const std::vector<std::string> kernels = kernels_of(NFX_SOURCE_DIR "/docs/loops.md");
  EXPECT_GE(kernels.size(), 5u);
  for (const std::string& text : kernels) {
    EXPECT_EQ(print(testing_kernels::parsed(text), KernelNames::kOwn), text);
  }
}

}  // namespace
}  // namespace nfx
