#include "message_passing/sort_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace nfx {
namespace {

struct Sorted {
  std::vector<int64_t> offsets, order, rows;
  BadIndex bad;
};

template <class T>
IndexView view(const std::vector<T>& index, int64_t stride = 1) {
  return {index.data(), sizeof(T), static_cast<int64_t>(index.size()) / stride, stride};
}

template <class T>
Sorted sort(const std::vector<T>& index, int64_t n, int64_t stride = 1) {
  const IndexView given = view(index, stride);
  const auto length = static_cast<size_t>(given.length);
  Sorted sorted{std::vector<int64_t>(static_cast<size_t>(n) + 1),
                std::vector<int64_t>(length),
                std::vector<int64_t>(length),
                {}};
  sorted.bad = sort_index(given, n, sorted.offsets.data(), sorted.order.data(), sorted.rows.data());
  return sorted;
}

std::vector<int64_t> random_rows(size_t length, int64_t n) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int64_t> row(0, n - 1);
  std::vector<int64_t> rows(length);
  for (int64_t& r : rows) r = row(random);
  return rows;
}

void expect_stable_order(const std::vector<int64_t>& index, int64_t n) {
  const Sorted sorted = sort(index, n);
  ASSERT_FALSE(sorted.bad);
  std::vector<int64_t> order(index.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return index[static_cast<size_t>(a)] < index[static_cast<size_t>(b)];
  });
  EXPECT_EQ(sorted.order, order);
  for (size_t k = 0; k < order.size(); ++k) {
    const int64_t row = index[static_cast<size_t>(order[k])];
    ASSERT_EQ(sorted.rows[k], row);
    const auto place = static_cast<int64_t>(k), i = row;
    ASSERT_LE(sorted.offsets[static_cast<size_t>(i)], place);
    ASSERT_GT(sorted.offsets[static_cast<size_t>(i) + 1], place);
  }
  EXPECT_EQ(sorted.offsets.back(), static_cast<int64_t>(index.size()));
}

TEST(SortIndex, IsStable) { expect_stable_order({2, 0, 2, 1, 0, 2}, 4); }

TEST(SortIndex, OfManyRowsGoesThroughBuckets) {
  expect_stable_order(random_rows(700'000, 300'000), 300'000);
}

TEST(SortIndex, OfManyRowsAndFewEdges) { expect_stable_order(random_rows(500, 300'000), 300'000); }

TEST(SortIndex, LeavesSortedAlone) {
  const Sorted sorted = sort<int64_t>({0, 0, 1, 3}, 4);
  EXPECT_EQ(sorted.order, (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(sorted.offsets, (std::vector<int64_t>{0, 2, 3, 3, 4}));
}

TEST(SortIndex, EmptyAndStridedAndNarrow) {
  EXPECT_EQ(sort<int64_t>({}, 3).offsets, (std::vector<int64_t>{0, 0, 0, 0}));
  EXPECT_EQ(sort<int64_t>({}, 0).offsets, (std::vector<int64_t>{0}));
  EXPECT_EQ(sort<int64_t>({1, 9, 0, 9}, 2, 2).order, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(sort<int32_t>({1, 0, 1}, 2).order, (std::vector<int64_t>{1, 0, 2}));
}

TEST(SortIndex, NamesTheBadIndex) {
  EXPECT_EQ(sort<int64_t>({1, 4, 0}, 4).bad, 4);
  EXPECT_EQ(sort<int64_t>({1, -1, 0}, 4).bad, -1);
  EXPECT_EQ(sort<int32_t>({-2}, 4).bad, -2);
}

TEST(PermuteIndex, TakesOtherEndsAlong) {
  const std::vector<int64_t> index = {5, 6, 7}, order = {2, 0, 1};
  std::vector<int64_t> result(3);
  EXPECT_FALSE(permute_index(view(index), 8, order.data(), result.data()));
  EXPECT_EQ(result, (std::vector<int64_t>{7, 5, 6}));
  EXPECT_EQ(permute_index(view(index), 7, order.data(), result.data()), 7);
}

TEST(CheckIndex, WrapsIfAsked) {
  const std::vector<int64_t> index = {0, -1, 3};
  std::vector<int64_t> result(3);
  EXPECT_FALSE(check_index(view(index), 4, true, result.data()));
  EXPECT_EQ(result, (std::vector<int64_t>{0, 3, 3}));
  EXPECT_EQ(check_index(view(index), 4, false, result.data()), -1);
  EXPECT_EQ(check_index(view(index), 3, true, result.data()), 3);
}

}  // namespace
}  // namespace nfx
