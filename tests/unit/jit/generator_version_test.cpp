#include "jit/generator_version.h"

#include <gtest/gtest.h>

namespace nfx::jit {
namespace {

// `readelf -n` of this binary shows the same 40 digits (of SHA-1).
TEST(GeneratorVersion, IsTheBuildIdOfTheLoadedCode) {
  const std::string version = generator_version();
  ASSERT_EQ(version.rfind("llvm ", 0), 0u) << version;
  const std::string id = version.substr(version.find_last_of(' ') + 1);
  EXPECT_GE(id.size(), 16u) << version;
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos) << version;
}

}  // namespace
}  // namespace nfx::jit
