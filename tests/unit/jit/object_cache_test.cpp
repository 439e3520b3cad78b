#include "jit/object_cache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

namespace nfx::jit {
namespace {

namespace fs = std::filesystem;

class ObjectCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = testing::TempDir() + "object_cache_" + test->name();
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  uint64_t bytes() const {
    uint64_t sum = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      if (entry.is_regular_file()) sum += entry.file_size();
    }
    return sum;
  }

  static std::string key(int i) { return "key " + std::to_string(i); }
  std::string folder_;
};

TEST_F(ObjectCacheTest, KeepsWhatWasStored) {
  ObjectCache cache(folder_, 1 << 20);
  EXPECT_FALSE(cache.load("a").has_value());
  cache.store("a", "object of a");
  cache.store("b", "");
  EXPECT_EQ(cache.load("a"), "object of a");
  EXPECT_EQ(cache.load("b"), "");
}

TEST_F(ObjectCacheTest, TakesDamageForAbsence) {
  ObjectCache cache(folder_, 1 << 20);
  cache.store("a", "object of a");
  std::ifstream stream(cache.path("a"), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(stream), {}};
  for (size_t i = 0; i < whole.size(); ++i) {
    std::ofstream(cache.path("a"), std::ios::binary) << whole.substr(0, i);
    EXPECT_FALSE(cache.load("a").has_value()) << i;
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    std::ofstream(cache.path("a"), std::ios::binary) << changed;
    EXPECT_FALSE(cache.load("a").has_value()) << i;
  }
  std::error_code error;
  cache.store("a", "object of a");
  fs::create_directories(fs::path(cache.path("b")).parent_path());
  fs::copy_file(cache.path("a"), cache.path("b"), error);
  EXPECT_FALSE(cache.load("b").has_value()) << "a file under the name of another key";
  EXPECT_EQ(cache.load("a"), "object of a");
}

TEST_F(ObjectCacheTest, RemovesWhatWasNotUsedForLongest) {
  ObjectCache cache(folder_, 1 << 20);
  const auto now = fs::file_time_type::clock::now();
  for (int i = 0; i < 20; ++i) {
    cache.store(key(i), std::string(100, 'x'));
    fs::last_write_time(cache.path(key(i)), now - std::chrono::hours(100 - i));
  }
  EXPECT_TRUE(cache.load(key(0)).has_value());  // and so it is in use
  ObjectCache(folder_, bytes() - 1).trim();
  EXPECT_TRUE(cache.load(key(0)).has_value());
  EXPECT_FALSE(cache.load(key(1)).has_value());
  EXPECT_TRUE(cache.load(key(19)).has_value());
}

TEST_F(ObjectCacheTest, StaysWithinItsLimit) {
  ObjectCache cache(folder_, 10000);
  for (int i = 0; i < 100; ++i) cache.store(key(i), std::string(400, 'x'));
  EXPECT_LE(bytes(), 10000u + 10000u / 16 + 600u);
  EXPECT_TRUE(cache.load(key(99)).has_value());
}

TEST_F(ObjectCacheTest, RemovesLeftoversAndNothingElse) {
  ObjectCache cache(folder_, 1000);
  cache.store("a", "x");
  const fs::path object = cache.path("a");
  const fs::path old = object.string() + ".123.4", fresh = object.string() + ".123.5";
  const fs::path foreign = object.parent_path() / "notes.txt";
  for (const fs::path& path : {old, fresh, foreign}) std::ofstream(path) << std::string(2000, 'x');
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  cache.trim();
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(fresh));
  EXPECT_TRUE(fs::exists(foreign));
}

TEST_F(ObjectCacheTest, SeveralMayFillTrimAndReadAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      ObjectCache cache(folder_, 4000);  // as another process would
      for (int i = 0; i < 100; ++i) {
        cache.store(key(i % 30), std::string(100, static_cast<char>('a' + i % 30)));
        const std::string expected(100, static_cast<char>('a' + i % 17));
        const auto found = cache.load(key(i % 17));
        EXPECT_EQ(found.value_or(expected), expected);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace nfx::jit
