#include "runtime/arena_block.h"

#include <sys/mman.h>

#include <cstdlib>

namespace nfx {
namespace {

constexpr int64_t kCacheLine = 64;
constexpr int64_t kHugePage = int64_t{2} << 20;

}  // namespace

bool ArenaBlock::reserve(int64_t bytes) {
  if (bytes <= capacity_) return true;
  reset();
  const int64_t alignment = bytes >= kHugePage ? kHugePage : kCacheLine;
  const int64_t rounded = (bytes + alignment - 1) & -alignment;
  data_ = static_cast<std::byte*>(
      std::aligned_alloc(static_cast<size_t>(alignment), static_cast<size_t>(rounded)));
  if (data_ == nullptr) return false;
  // Fewer page faults and TLB misses; without it everything works the same.
  if (alignment == kHugePage) madvise(data_, static_cast<size_t>(rounded), MADV_HUGEPAGE);
  capacity_ = rounded;
  return true;
}

void ArenaBlock::reset() {
  std::free(data_);
  data_ = nullptr;
  capacity_ = 0;
}

}  // namespace nfx
