#include "support/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace nfx {
namespace {

struct Odd {
  static constexpr std::string_view kCode = "test-odd";
  int number;
  std::string message() const { return "`" + std::to_string(number) + "` is odd"; }
  std::string help() const { return "give an even number"; }
};

Result<int> half(int number) {
  if (number % 2 != 0) return diagnose(Odd{number});
  return number / 2;
}

Result<int> quarter(int number) {
  NFX_ASSIGN(const int first, half(number));
  NFX_ASSIGN(int second, half(first));
  return second;
}

Status check_even(int number) {
  NFX_TRY(half(number));
  return success();
}

TEST(Result, HoldsAValue) {
  Result<int> result = half(8);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(*result, 4);
  *result = 5;
  EXPECT_EQ(result.value(), 5);
}

TEST(Result, HoldsADiagnostic) {
  const Result<int> result = half(7);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, "test-odd");
  EXPECT_EQ(result.error().message, "`7` is odd");
}

TEST(Result, GivesAMoveOnlyValueAway) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 3);
}

TEST(Result, ReachesMembersOfItsValue) {
  const Result<std::string> result = std::string("abc");
  EXPECT_EQ(result->size(), 3u);
}

// Both types can be made from a Diagnostic; the alternative decides, not the type.
TEST(Result, TellsAValueFromAnErrorOfTheSameType) {
  const Result<std::variant<int, Diagnostic>> result =
      std::variant<int, Diagnostic>(diagnose(Odd{1}));
  EXPECT_TRUE(result.ok());
}

TEST(Result, AssignPassesTheFirstErrorOn) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(7).error().message, "`7` is odd");
  EXPECT_EQ(quarter(6).error().message, "`3` is odd");
}

TEST(Result, TryPassesTheErrorOn) {
  EXPECT_TRUE(check_even(2).ok());
  EXPECT_EQ(check_even(3).error().code, "test-odd");
}

#ifndef NDEBUG
TEST(ResultDeathTest, RefusesTheValueOfAnError) {
  const Result<int> result = half(7);
  EXPECT_DEATH(static_cast<void>(result.value()), "value\\(\\) of a failed Result");
}

TEST(ResultDeathTest, RefusesTheErrorOfAValue) {
  const Result<int> result = half(8);
  EXPECT_DEATH(static_cast<void>(result.error()), "error\\(\\) of a Result that has a value");
}
#endif

}  // namespace
}  // namespace nfx
