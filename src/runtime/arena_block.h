// The memory that a frame keeps for intermediates between runs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

namespace nfx {

// One block, aligned to cache lines, large ones to huge pages. Its contents are
// lost when it grows.
class ArenaBlock {
 public:
  ArenaBlock() = default;
  ~ArenaBlock() { reset(); }
  ArenaBlock(const ArenaBlock&) = delete;
  ArenaBlock& operator=(const ArenaBlock&) = delete;

  std::byte* data() const { return data_; }
  int64_t capacity() const { return capacity_; }

  // At least `bytes`; false if there is no memory.
  [[nodiscard]] bool reserve(int64_t bytes);

 private:
  void reset();
  std::byte* data_ = nullptr;
  int64_t capacity_ = 0;
};

}  // namespace nfx
