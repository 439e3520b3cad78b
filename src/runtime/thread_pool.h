// Threads for our own kernels. A kernel is cut into chunks that depend on the
// data alone; whichever thread comes first claims the next chunk, so that results
// are the same bits on any number of threads and a late thread delays nobody.
//
// The caller works too, and when no chunk is left it waits only for the chunks
// that others are still inside. Nobody spins: after a wait of this pool the
// processor is free.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace nfx {

class ThreadPool {
 public:
  using ChunkFunction = void (*)(void* context, int64_t chunk);

  ThreadPool() = default;
  ~ThreadPool();  // waits for its threads; no parallel_for may be running
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // The pool of this process. A forked child gets a new one. Never destroyed,
  // since kernels may run until the process ends.
  static ThreadPool& process();

  // Runs `function(context, chunk)` once for each chunk in [0, chunks), on at most
  // `threads` threads with the calling one. Any number of threads may call at once,
  // also from inside a chunk. `function` must not throw.
  void run(int64_t chunks, int threads, ChunkFunction function, void* context);

  // The same for a callable `fn(int64_t chunk)`.
  template <class Function>
  void parallel_for(int64_t chunks, int threads, Function&& fn) {
    using Callable = std::remove_reference_t<Function>;
    const auto call = [](void* context, int64_t chunk) {
      (*static_cast<Callable*>(context))(chunk);
    };
    run(chunks, threads, call, const_cast<std::remove_const_t<Callable>*>(std::addressof(fn)));
  }

  // Threads made so far, the callers' own not counted.
  int worker_count() const;

 private:
  struct Job {
    ChunkFunction function;
    void* context;
    int64_t chunks;
    int places;                    // how many more workers may join; under the lock
    int inside = 0;                // workers with a chunk in flight; under the lock
    std::atomic<int64_t> next{0};  // the next chunk to claim
    std::condition_variable empty;
  };

  static void drain(Job& job);
  void add_workers(int count);
  void work();
  void join_job(std::unique_lock<std::mutex>& lock);
  void close_job(const Job& job);

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job*> open_;  // jobs with places left
  std::vector<std::thread> workers_;
  bool stopping_ = false;
};

}  // namespace nfx
