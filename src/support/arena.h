// A bump allocator for data that lives as long as its owner and needs no
// destructor: text and spans of interned things. One writer at a time.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace nfx {

class Arena {
 public:
  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char* to = static_cast<char*>(allocate(text.size(), 1));
    std::memcpy(to, text.data(), text.size());
    return {to, text.size()};
  }

  template <class T>
  std::span<const T> copy(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (values.empty()) return {};
    T* to = static_cast<T*>(allocate(values.size_bytes(), alignof(T)));
    std::memcpy(to, values.data(), values.size_bytes());
    return {to, values.size()};
  }

 private:
  static constexpr size_t kFirstBlock = 512;
  static constexpr size_t kLargestBlock = size_t{1} << 20;

  void* allocate(size_t bytes, size_t alignment) {
    size_t start = (used_ + alignment - 1) & ~(alignment - 1);
    if (blocks_.empty() || start + bytes > capacity_) {
      capacity_ = std::max(bytes, std::min(std::max(kFirstBlock, 2 * capacity_), kLargestBlock));
      blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(capacity_));
      start = 0;
    }
    used_ = start + bytes;
    return blocks_.back().get() + start;
  }

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  size_t capacity_ = 0;  // of the last block
  size_t used_ = 0;
};

}  // namespace nfx
