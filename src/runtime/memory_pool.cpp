#include "runtime/memory_pool.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <system_error>
#include <thread>

namespace nfx {
namespace {

constexpr int64_t kPage = 4096;
constexpr int64_t kHugePage = int64_t{2} << 20;
// A larger block serves if no more than this share of it is left over.
constexpr int64_t kLeftOver = 8;

int64_t whole_pages(int64_t bytes) { return (bytes + kPage - 1) & -kPage; }

void unmap(std::byte* data, int64_t bytes) {
  if (bytes > 0) munmap(data, static_cast<size_t>(bytes));
}

// Aligned to huge pages if there is room for one, which must be asked for.
std::byte* map(int64_t bytes) {
  const bool huge = bytes >= kHugePage;
  const int64_t asked = huge ? bytes + kHugePage - kPage : bytes;
  void* mapped = mmap(nullptr, static_cast<size_t>(asked), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* data = static_cast<std::byte*>(mapped);
  if (!huge) return data;
  const auto address = reinterpret_cast<intptr_t>(data);
  const int64_t before = ((address + kHugePage - 1) & -kHugePage) - address;
  unmap(data, before);
  unmap(data + before + bytes, asked - before - bytes);
  // Fewer page faults and TLB misses; without it everything works the same.
  madvise(data + before, static_cast<size_t>(bytes), MADV_HUGEPAGE);
  return data + before;
}

}  // namespace

int64_t MemoryPool::default_limit() {
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE) / 4;
}

MemoryPool& MemoryPool::process() {
  static MemoryPool* const pool = [] {
    auto* made = new MemoryPool;
    made->wants_keeper_ = true;
    return made;
  }();
  // A child has only the thread that forked: nobody else may hold the lock then,
  // and its pool starts a new keeper.
  [[maybe_unused]] static const int at_fork =
      pthread_atfork([] { pool->mutex_.lock(); }, [] { pool->mutex_.unlock(); },
                     [] {
                       pool->has_keeper_ = false;
                       pool->mutex_.unlock();
                     });
  return *pool;
}

std::byte* MemoryPool::take(int64_t bytes) {
  const int64_t wanted = std::max(kPage, whole_pages(bytes));
  std::vector<Span> evicted;
  {
    const std::lock_guard lock(mutex_);
    if (const auto block = best_fit(wanted); block != idle_.end()) return reuse(block, wanted);
    make_room(wanted, evicted);
    in_use_bytes_ += wanted;  // before the lock goes: others must see it taken
    peak_ = std::max(peak_, in_use_bytes_);
  }
  for (const Span& span : evicted) unmap(span.data, span.bytes);
  std::byte* data = map(wanted);
  if (data == nullptr) {
    release_idle();
    data = map(wanted);
  }
  const std::lock_guard lock(mutex_);
  if (data == nullptr) {
    in_use_bytes_ -= wanted;
  } else {
    in_use_.emplace(data, wanted);
  }
  return data;
}

// The smallest block that serves, of those the one given back last: it may still
// lie in a cache.
MemoryPool::IdleBlocks::iterator MemoryPool::best_fit(int64_t bytes) {
  const auto found = idle_.lower_bound(bytes);
  if (found == idle_.end() || found->first > bytes + bytes / kLeftOver) return idle_.end();
  return std::prev(idle_.upper_bound(found->first));
}

std::byte* MemoryPool::reuse(IdleBlocks::iterator block, int64_t bytes) {
  std::byte* data = block->second.data;
  int64_t capacity = block->first;
  idle_.erase(block);
  idle_bytes_ -= capacity;
  const int64_t bound = std::max(peak_, in_use_bytes_ + bytes);
  if (in_use_bytes_ + capacity + idle_bytes_ > bound) {  // what is left over counts as well
    unmap(data + bytes, capacity - bytes);
    capacity = bytes;
  }
  in_use_.emplace(data, capacity);
  in_use_bytes_ += capacity;
  peak_ = std::max(peak_, in_use_bytes_);
  return data;
}

// Evicts idle blocks, the oldest first, until so much more in use is no new peak.
void MemoryPool::make_room(int64_t bytes, std::vector<Span>& evicted) {
  const int64_t bound = std::max(peak_, in_use_bytes_ + bytes);
  while (!idle_.empty() && in_use_bytes_ + bytes + idle_bytes_ > bound) evict(oldest(), evicted);
}

MemoryPool::IdleBlocks::iterator MemoryPool::oldest() {
  return std::ranges::min_element(idle_, {}, [](const auto& block) { return block.second.since; });
}

void MemoryPool::evict(IdleBlocks::iterator block, std::vector<Span>& evicted) {
  evicted.push_back({block->second.data, block->first});
  idle_bytes_ -= block->first;
  idle_.erase(block);
}

void MemoryPool::give_back(void* data) {
  std::vector<Span> evicted;
  {
    const std::lock_guard lock(mutex_);
    const auto block = in_use_.find(data);
    assert(block != in_use_.end() && "memory of another owner");
    const int64_t bytes = block->second;
    in_use_.erase(block);
    in_use_bytes_ -= bytes;
    idle_.emplace(bytes, Idle{static_cast<std::byte*>(data), Clock::now()});
    idle_bytes_ += bytes;
    while (idle_bytes_ > limit_) evict(oldest(), evicted);
    if (wants_keeper_ && !has_keeper_ && !idle_.empty()) start_keeper();
  }
  for (const Span& span : evicted) unmap(span.data, span.bytes);
}

void MemoryPool::release_idle(Clock::time_point before) {
  std::vector<Span> evicted;
  {
    const std::lock_guard lock(mutex_);
    for (auto block = idle_.begin(); block != idle_.end();) {
      const auto next = std::next(block);
      if (block->second.since <= before) evict(block, evicted);
      block = next;
    }
    if (!evicted.empty()) peak_ = in_use_bytes_ + idle_bytes_;
  }
  for (const Span& span : evicted) unmap(span.data, span.bytes);
}

void MemoryPool::limit_idle(int64_t bytes) {
  std::vector<Span> evicted;
  {
    const std::lock_guard lock(mutex_);
    limit_ = bytes;
    while (idle_bytes_ > limit_) evict(oldest(), evicted);
  }
  for (const Span& span : evicted) unmap(span.data, span.bytes);
}

MemoryPool::Usage MemoryPool::usage() const {
  const std::lock_guard lock(mutex_);
  return {in_use_bytes_, idle_bytes_, peak_};
}

// Under the lock. Without a thread the memory is kept until it is asked for.
void MemoryPool::start_keeper() {
  try {
    std::thread([this] { keep(); }).detach();
    has_keeper_ = true;
  } catch (const std::system_error&) {
  }
}

// Releases blocks as they get old, and ends with the last of them.
void MemoryPool::keep() {
  for (;;) {
    Clock::time_point due;
    {
      const std::lock_guard lock(mutex_);
      if (idle_.empty()) {
        has_keeper_ = false;
        return;
      }
      due = oldest()->second.since + kIdle;
    }
    std::this_thread::sleep_until(due);
    release_idle(Clock::now() - kIdle);
  }
}

}  // namespace nfx
