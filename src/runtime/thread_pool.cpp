#include "runtime/thread_pool.h"

#include <pthread.h>

#include <algorithm>

namespace nfx {
namespace {

// A bound against a nonsensical setting, far above any processor's threads.
constexpr int kMaxWorkers = 1023;

std::atomic<ThreadPool*> process_pool{nullptr};

// Only the forking thread lives on in the child: the old pool has no threads
// there, and its lock may be held by one that is gone. It is left as it is.
void forget_pool_in_child() { process_pool.store(nullptr); }

}  // namespace

ThreadPool& ThreadPool::process() {
  [[maybe_unused]] static const int registered =
      pthread_atfork(nullptr, nullptr, forget_pool_in_child);
  ThreadPool* pool = process_pool.load(std::memory_order_acquire);
  if (pool != nullptr) return *pool;
  auto fresh = std::make_unique<ThreadPool>();
  if (process_pool.compare_exchange_strong(pool, fresh.get())) pool = fresh.release();
  return *pool;
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

int ThreadPool::worker_count() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(workers_.size());
}

void ThreadPool::run(int64_t chunks, int threads, ChunkFunction function, void* context) {
  const int64_t useful = std::min<int64_t>({threads, chunks, kMaxWorkers + 1});
  if (useful <= 1) {
    for (int64_t chunk = 0; chunk < chunks; ++chunk) function(context, chunk);
    return;
  }
  Job job{.function = function,
          .context = context,
          .chunks = chunks,
          .places = static_cast<int>(useful) - 1,
          .empty = {}};
  {
    const std::lock_guard lock(mutex_);
    add_workers(job.places);
    open_.push_back(&job);
  }
  for (int64_t i = 1; i < useful; ++i) wake_.notify_one();
  drain(job);
  std::unique_lock lock(mutex_);
  close_job(job);
  job.empty.wait(lock, [&] { return job.inside == 0; });
}

void ThreadPool::drain(Job& job) {
  while (true) {
    const int64_t chunk = job.next.fetch_add(1, std::memory_order_relaxed);
    if (chunk >= job.chunks) return;
    job.function(job.context, chunk);
  }
}

void ThreadPool::add_workers(int count) {
  while (static_cast<int>(workers_.size()) < count) {
    try {
      workers_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      return;  // no more threads to be had: those that there are do the work
    }
  }
}

void ThreadPool::close_job(const Job& job) {
  const auto place = std::find(open_.begin(), open_.end(), &job);
  if (place != open_.end()) open_.erase(place);
}

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return stopping_ || !open_.empty(); });
    if (stopping_) return;
    join_job(lock);
  }
}

// The first chunk is claimed together with joining, so that whoever is inside a
// job has a chunk in flight. The job is the caller's: it lives until the caller
// has seen `inside` at 0, under the lock, and is not touched after that.
void ThreadPool::join_job(std::unique_lock<std::mutex>& lock) {
  Job& job = *open_.front();
  const int64_t chunk = job.next.fetch_add(1, std::memory_order_relaxed);
  if (chunk >= job.chunks) {
    open_.pop_front();
    return;
  }
  ++job.inside;
  if (--job.places == 0) open_.pop_front();
  lock.unlock();
  job.function(job.context, chunk);
  drain(job);
  lock.lock();
  if (--job.inside == 0) job.empty.notify_one();
}

}  // namespace nfx
