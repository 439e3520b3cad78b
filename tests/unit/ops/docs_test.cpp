#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "ops/describe.h"

namespace nfx {
namespace {

TEST(OpsDocument, ShowsEveryRow) {
  std::ifstream file(NFX_SOURCE_DIR "/docs/ops.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find(describe_rows()), std::string::npos)
      << "replace the table in docs/ops.md by what `nfx ops` prints";
}

}  // namespace
}  // namespace nfx
