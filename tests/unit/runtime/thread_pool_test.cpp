#include "runtime/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <numeric>
#include <set>

// The thread sanitizer refuses threads in a forked child unless told otherwise.
extern "C" const char* __tsan_default_options() { return "die_after_fork=0"; }

namespace nfx {
namespace {

TEST(ThreadPool, EveryChunkRunsOnce) {
  ThreadPool pool;
  for (const int threads : {-1, 0, 1, 2, 3, 8}) {
    for (const int64_t chunks : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> runs(static_cast<size_t>(chunks));
      pool.parallel_for(chunks, threads, [&](int64_t i) { ++runs[static_cast<size_t>(i)]; });
      for (const auto& count : runs) EXPECT_EQ(count, 1);
    }
  }
}

TEST(ThreadPool, WritesAreSeenByTheCaller) {
  ThreadPool pool;
  std::vector<int64_t> squares(10'000);
  for (int round = 0; round < 50; ++round) {
    pool.parallel_for(100, 4, [&](int64_t chunk) {
      for (int64_t i = chunk * 100; i < (chunk + 1) * 100; ++i) {
        squares[static_cast<size_t>(i)] = i * i + round;
      }
    });
    for (int64_t i = 0; i < 10'000; ++i) {
      ASSERT_EQ(squares[static_cast<size_t>(i)], i * i + round);
    }
  }
}

TEST(ThreadPool, KeepsToTheNumberOfThreads) {
  ThreadPool pool;
  pool.parallel_for(16, 8, [](int64_t) {});
  EXPECT_EQ(pool.worker_count(), 7);
  std::mutex mutex;
  std::set<std::thread::id> ids;
  pool.parallel_for(64, 2, [&](int64_t) {
    const std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
  });
  EXPECT_LE(ids.size(), 2U);
  EXPECT_EQ(pool.worker_count(), 7);
}

TEST(ThreadPool, SecondThreadTakesPart) {
  ThreadPool pool;
  std::atomic<int> inside{0};
  pool.parallel_for(2, 2, [&](int64_t) {  // ends only if both chunks run at once
    ++inside;
    while (inside < 2) std::this_thread::yield();
  });
  EXPECT_EQ(inside, 2);
}

TEST(ThreadPool, NestedCallsEnd) {
  ThreadPool pool;
  std::atomic<int> runs{0};
  pool.parallel_for(8, 3, [&](int64_t) { pool.parallel_for(8, 3, [&](int64_t) { ++runs; }); });
  EXPECT_EQ(runs, 64);
}

TEST(ThreadPool, ManyCallersAtOnce) {
  ThreadPool pool;
  std::vector<std::thread> callers;
  std::atomic<int64_t> total{0};
  for (int caller = 0; caller < 6; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        pool.parallel_for(10, 3, [&](int64_t chunk) { total += chunk; });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total, 6 * 200 * 45);
}

TEST(ThreadPool, ForkedChildHasAPoolOfItsOwn) {
  std::atomic<int> runs{0};
  ThreadPool::process().parallel_for(8, 4, [&](int64_t) { ++runs; });
  const ThreadPool* parent = &ThreadPool::process();
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> mine{0};
    ThreadPool& pool = ThreadPool::process();
    pool.parallel_for(2, 2, [&](int64_t) {
      ++mine;
      while (mine < 2) std::this_thread::yield();
    });
    _exit(mine == 2 && &pool != parent ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  ThreadPool::process().parallel_for(8, 4, [&](int64_t) { ++runs; });
  EXPECT_EQ(runs, 16);
}

TEST(ThreadPool, ProcessPoolIsOne) {
  std::vector<std::thread> callers;
  std::mutex mutex;
  std::set<ThreadPool*> pools;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      ThreadPool* pool = &ThreadPool::process();
      const std::lock_guard lock(mutex);
      pools.insert(pool);
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(pools.size(), 1U);
}

}  // namespace
}  // namespace nfx
