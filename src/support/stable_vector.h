// A vector whose elements never move. One thread at a time may append; any
// number may read what they were told of, without a lock.
#pragma once
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstdint>
#include <memory>
#include <utility>

namespace nfx {

template <class T>
class StableVector {
 public:
  StableVector() = default;
  StableVector(const StableVector&) = delete;
  StableVector& operator=(const StableVector&) = delete;
  ~StableVector() {
    for (uint32_t i = size(); i-- > 0;) std::destroy_at(&(*this)[i]);
    for (int chunk = 0; chunk < kChunks; ++chunk) {
      if (T* items = chunks_[chunk].load(std::memory_order_relaxed)) {
        std::allocator<T>().deallocate(items, chunk_size(chunk));
      }
    }
  }

  uint32_t size() const { return size_.load(std::memory_order_acquire); }

  T& operator[](uint32_t index) { return *address(index); }
  const T& operator[](uint32_t index) const { return *address(index); }

  template <class... Args>
  uint32_t emplace_back(Args&&... args) {
    const uint32_t index = size_.load(std::memory_order_relaxed);
    assert(index < UINT32_MAX - kFirst && "a table of 32-bit ids is full");
    const int chunk = chunk_of(index);
    if (chunks_[chunk].load(std::memory_order_relaxed) == nullptr) {
      T* items = std::allocator<T>().allocate(chunk_size(chunk));
      chunks_[chunk].store(items, std::memory_order_release);
    }
    std::construct_at(address(index), std::forward<Args>(args)...);
    size_.store(index + 1, std::memory_order_release);
    return index;
  }

 private:
  // Chunk k holds kFirst << k elements, from index (kFirst << k) - kFirst on.
  static constexpr int kFirstBits = 5;
  static constexpr uint32_t kFirst = 1u << kFirstBits;
  static constexpr int kChunks = 32 - kFirstBits;

  static int chunk_of(uint32_t index) {
    return static_cast<int>(std::bit_width(index + kFirst)) - 1 - kFirstBits;
  }
  static size_t chunk_size(int chunk) { return size_t{kFirst} << chunk; }
  T* address(uint32_t index) const {
    const int chunk = chunk_of(index);
    T* items = chunks_[chunk].load(std::memory_order_acquire);
    return items + (index + kFirst - chunk_size(chunk));
  }

  std::array<std::atomic<T*>, kChunks> chunks_{};
  std::atomic<uint32_t> size_{0};
};

}  // namespace nfx
