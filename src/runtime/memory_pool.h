// Large memory that is kept from one run to the next.
//
// The first touch of a page costs more than most kernels spend on it, so memory
// of intermediates and outputs comes from here and returns to here when its
// owner dies. What lies idle in the pool and what is in use are together never
// more than was in use at one time: keeping memory does not raise the peak.
// Test: tests/unit/runtime/memory_pool_test.cpp
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace nfx {

class MemoryPool {
 public:
  using Clock = std::chrono::steady_clock;

  // Below this many bytes `malloc` keeps memory well enough itself.
  static constexpr int64_t kSmallest = int64_t{1} << 18;
  // A block that nobody took for this long goes back to the system.
  static constexpr std::chrono::seconds kIdle{10};

  MemoryPool() = default;
  ~MemoryPool() { release_idle(); }  // nothing may be in use, no thread waiting
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // The pool of this process, never destroyed: storages may die after everything
  // else. It returns what lies idle to the system on a thread of its own, and a
  // forked child goes on with a copy.
  static MemoryPool& process();

  // At least `bytes`, aligned to huge pages if there are that many, else to
  // pages. Null if there is no memory. Its contents are anything.
  std::byte* take(int64_t bytes);
  // From any thread.
  void give_back(void* data);

  // Returns idle memory to the system: all of it, or what is idle since before.
  void release_idle(Clock::time_point before = Clock::time_point::max());

  // What may lie idle, besides the bound that the peak sets. Default: a quarter
  // of the machine's memory.
  void limit_idle(int64_t bytes);

  struct Usage {
    int64_t in_use = 0, idle = 0;  // bytes
    int64_t peak = 0;              // most in use at one time, since memory was last released
  };
  Usage usage() const;

 private:
  struct Idle {
    std::byte* data;
    Clock::time_point since;
  };
  struct Span {
    std::byte* data;
    int64_t bytes;
  };
  using IdleBlocks = std::multimap<int64_t, Idle>;  // by bytes, those of one size by age

  IdleBlocks::iterator best_fit(int64_t bytes);
  std::byte* reuse(IdleBlocks::iterator block, int64_t bytes);
  void make_room(int64_t bytes, std::vector<Span>& evicted);
  void evict(IdleBlocks::iterator block, std::vector<Span>& evicted);
  IdleBlocks::iterator oldest();
  void start_keeper();
  void keep();
  static int64_t default_limit();

  mutable std::mutex mutex_;
  IdleBlocks idle_;
  std::unordered_map<void*, int64_t> in_use_;
  int64_t in_use_bytes_ = 0, idle_bytes_ = 0, peak_ = 0;
  int64_t limit_ = default_limit();
  bool wants_keeper_ = false;  // this is the pool of the process
  bool has_keeper_ = false;    // a thread runs keep()
};

}  // namespace nfx
