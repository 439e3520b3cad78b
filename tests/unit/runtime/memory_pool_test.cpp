#include "runtime/memory_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <thread>

namespace nfx {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

TEST(MemoryPool, GivesTheSameMemoryAgain) {
  MemoryPool pool;
  std::byte* first = pool.take(4 * kMiB);
  ASSERT_NE(first, nullptr);
  std::memset(first, 1, 4 * kMiB);
  pool.give_back(first);
  EXPECT_EQ(pool.usage().idle, 4 * kMiB);
  std::byte* second = pool.take(4 * kMiB - 100);
  EXPECT_EQ(second, first);
  pool.give_back(second);
}

TEST(MemoryPool, AlignsLargeBlocksToHugePages) {
  MemoryPool pool;
  for (const int64_t bytes : {int64_t{1}, kMiB, 2 * kMiB, 2 * kMiB + 1, 5 * kMiB + 12345}) {
    std::byte* data = pool.take(bytes);
    const int64_t alignment = bytes >= 2 * kMiB ? 2 * kMiB : 4096;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(alignment), 0u) << bytes;
    std::memset(data, 1, static_cast<size_t>(bytes));
    pool.give_back(data);
  }
}

TEST(MemoryPool, DoesNotWasteALargeBlockOnASmallNeed) {
  MemoryPool pool;
  std::byte* large = pool.take(8 * kMiB);
  pool.give_back(large);
  std::byte* small = pool.take(4 * kMiB);
  EXPECT_NE(small, large);
  pool.give_back(small);
}

TEST(MemoryPool, IdleMemoryRaisesNoPeak) {
  MemoryPool pool;
  pool.give_back(pool.take(8 * kMiB));
  std::byte* other = pool.take(6 * kMiB);  // 8 idle and 6 in use would be a new peak
  EXPECT_EQ(pool.usage().idle, 0);
  EXPECT_EQ(pool.usage().in_use, 6 * kMiB);
  EXPECT_EQ(pool.usage().peak, 8 * kMiB);
  pool.give_back(other);
}

TEST(MemoryPool, CutsWhatIsLeftOverWhereItWouldRaiseThePeak) {
  MemoryPool pool;
  std::byte* a = pool.take(16 * kMiB);
  pool.give_back(a);
  std::byte* b = pool.take(15 * kMiB);
  EXPECT_EQ(b, a);
  EXPECT_EQ(pool.usage().in_use, 16 * kMiB);  // within the peak: whole
  std::byte* c = pool.take(4 * kMiB);         // a new peak of 20
  pool.give_back(b);
  std::byte* d = pool.take(15 * kMiB);
  EXPECT_EQ(d, a);
  EXPECT_LE(pool.usage().in_use, 20 * kMiB);
  pool.give_back(c);
  pool.give_back(d);
}

TEST(MemoryPool, NeverHoldsMoreThanThePeakOfWhatWasInUse) {
  MemoryPool pool;
  std::mt19937 random(7);
  std::vector<std::byte*> held;
  for (int i = 0; i < 2000; ++i) {
    if (!held.empty() && random() % 2 == 0) {
      const size_t index = random() % held.size();
      pool.give_back(held[index]);
      held.erase(held.begin() + static_cast<ptrdiff_t>(index));
    } else {
      held.push_back(pool.take(1 + static_cast<int64_t>(random() % (3 * kMiB))));
    }
    const MemoryPool::Usage usage = pool.usage();
    ASSERT_LE(usage.in_use + usage.idle, usage.peak) << "seed 7, step " << i;
  }
  for (std::byte* data : held) pool.give_back(data);
  EXPECT_EQ(pool.usage().in_use, 0);
}

TEST(MemoryPool, ReleasesOnDemandAndByAge) {
  MemoryPool pool;
  pool.give_back(pool.take(kMiB));
  const auto before = MemoryPool::Clock::now();
  std::byte* data = pool.take(3 * kMiB);
  pool.give_back(pool.take(2 * kMiB));
  pool.release_idle(before);
  EXPECT_EQ(pool.usage().idle, 2 * kMiB);
  pool.release_idle();
  EXPECT_EQ(pool.usage().idle, 0);
  EXPECT_EQ(pool.usage().peak, 3 * kMiB);  // what is in use now
  pool.give_back(data);
}

TEST(MemoryPool, KeepsNoMoreIdleThanTheLimit) {
  MemoryPool pool;
  std::byte* a = pool.take(kMiB);
  std::byte* b = pool.take(2 * kMiB);
  pool.give_back(a);
  pool.give_back(b);
  pool.limit_idle(2 * kMiB);
  EXPECT_EQ(pool.usage().idle, 2 * kMiB);  // the older one went
  pool.limit_idle(0);
  pool.give_back(pool.take(kMiB));
  EXPECT_EQ(pool.usage().idle, 0);
}

TEST(MemoryPool, HasNoMemoryForTooMuch) {
  MemoryPool pool;
  EXPECT_EQ(pool.take(int64_t{1} << 60), nullptr);
  EXPECT_EQ(pool.usage().in_use, 0);
}

TEST(MemoryPool, ServesThreadsAtOnce) {
  MemoryPool pool;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&pool, t] {
      for (int i = 0; i < 300; ++i) {
        std::byte* data = pool.take(kMiB / 4 * (1 + (i + t) % 5));
        data[0] = data[1000] = std::byte{7};
        pool.give_back(data);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pool.usage().in_use, 0);
}

TEST(MemoryPool, GoesOnInAForkedChild) {
  MemoryPool& pool = MemoryPool::process();
  std::byte* data = pool.take(4 * kMiB);
  data[0] = std::byte{42};
  const pid_t child = fork();
  if (child == 0) {
    bool good = data[0] == std::byte{42};
    pool.give_back(data);
    std::byte* again = pool.take(4 * kMiB);
    good = good && again == data;
    pool.give_back(again);
    _exit(good ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  pool.give_back(data);
}

}  // namespace
}  // namespace nfx
