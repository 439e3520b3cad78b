#include "support/diagnostic.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nfx {
namespace {

struct FlatTyre {
  static constexpr std::string_view kCode = "test-flat-tyre";
  int wheel;
  std::string message() const { return "wheel `" + std::to_string(wheel) + "` is flat"; }
  std::string help() const { return "pump it up"; }
};
NFX_DIAGNOSTIC(FlatTyre);

struct NoHelp {
  static constexpr std::string_view kCode = "test-no-help";
  std::string message() const { return "nothing can be done"; }
  std::string help() const { return ""; }
};

bool is_registered(std::string_view code) {
  const std::vector<std::string_view> codes = diagnostic_codes();
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

TEST(Diagnostic, CarriesCodeMessageHelpAndPlace) {
  const Diagnostic d = diagnose(FlatTyre{3}, {.file = "car.py", .line = 7});
  EXPECT_EQ(d.code, "test-flat-tyre");
  EXPECT_EQ(d.message, "wheel `3` is flat");
  EXPECT_EQ(d.help, "pump it up");
  EXPECT_EQ(d.place.line, 7);
  EXPECT_EQ(d.severity, Severity::kError);
}

TEST(Diagnostic, PrintsOnlyWhatIsKnown) {
  EXPECT_EQ(diagnose(NoHelp{}).str(), "error[test-no-help]: nothing can be done");
}

TEST(Diagnostic, PrintsSeverity) {
  EXPECT_EQ(diagnose(NoHelp{}, {}, Severity::kWarning).str(),
            "warning[test-no-help]: nothing can be done");
  EXPECT_EQ(diagnose(NoHelp{}, {}, Severity::kNote).str(),
            "note[test-no-help]: nothing can be done");
}

struct PlaceCase {
  Place place;
  std::string_view line;
};

class PlaceText : public testing::TestWithParam<PlaceCase> {};

TEST_P(PlaceText, FollowsTheArrow) {
  const Diagnostic d = diagnose(FlatTyre{1}, GetParam().place);
  EXPECT_EQ(d.str(), "error[test-flat-tyre]: wheel `1` is flat\n  --> " +
                         std::string(GetParam().line) + "\n  help: pump it up");
}

INSTANTIATE_TEST_SUITE_P(
    Places, PlaceText,
    testing::Values(PlaceCase{{.file = "car.py"}, "car.py"},
                    PlaceCase{{.file = "car.py", .line = 7}, "car.py:7"},
                    PlaceCase{{.file = "car.py", .line = 7, .column = 2}, "car.py:7:2"},
                    PlaceCase{{.line = 7, .column = 2}, "<text>:7:2"},
                    PlaceCase{{.file = "car.py", .line = 7, .scope = "Car.go"},
                              "car.py:7 in Car.go"},
                    PlaceCase{{.scope = "Car.go"}, "in Car.go"},
                    PlaceCase{{.scope = "Car.go", .node = "add"}, "in Car.go, node %add"},
                    PlaceCase{{.file = "car.py", .line = 7, .scope = "Car.go", .node = "add"},
                              "car.py:7 in Car.go, node %add"},
                    PlaceCase{{.node = "add"}, "node %add"}));

TEST(Diagnostic, RegistryHoldsDeclaredCodesOnceAndSorted) {
  EXPECT_TRUE(is_registered("test-flat-tyre"));
  EXPECT_FALSE(is_registered("test-no-help"));
  EXPECT_FALSE(register_diagnostic("test-flat-tyre"));
  const std::vector<std::string_view> codes = diagnostic_codes();
  EXPECT_TRUE(std::is_sorted(codes.begin(), codes.end()));
  EXPECT_EQ(std::count(codes.begin(), codes.end(), "test-flat-tyre"), 1);
}

}  // namespace
}  // namespace nfx
