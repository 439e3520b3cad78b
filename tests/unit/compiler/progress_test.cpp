#include "compiler/progress.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace nfx {
namespace {

std::string written(const char* asked, std::chrono::milliseconds patience) {
  ::setenv("NATIVEFX_PROGRESS", asked, 1);
  testing::internal::CaptureStderr();
  {
    Progress progress("graph_3", patience);
    progress.kernels(7, 40);
  }
  ::unsetenv("NATIVEFX_PROGRESS");
  return testing::internal::GetCapturedStderr();
}

TEST(Progress, WritesALineAndTakesItAway) {
  const std::string text = written("1", std::chrono::milliseconds(0));
  EXPECT_NE(text.find("nativefx: graph_3: 7 of 40 kernels"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\r\033[K"));
}

TEST(Progress, IsPatientAndSilentWhereNobodyAsked) {
  EXPECT_EQ(written("1", std::chrono::hours(1)), "");
  EXPECT_EQ(written("0", std::chrono::milliseconds(0)), "");
}

}  // namespace
}  // namespace nfx
