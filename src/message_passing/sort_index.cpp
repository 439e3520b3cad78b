#include "message_passing/sort_index.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace nfx {
namespace {

// Counters beyond this size no longer stay in the cache; then rows are sorted
// into buckets of neighbours first.
constexpr int64_t kPlainRows = int64_t{1} << 17;
constexpr int kMaxBucketBits = 10;

template <class T>
struct Strided {
  const T* data;
  int64_t stride;
  int64_t operator[](int64_t k) const { return static_cast<int64_t>(data[k * stride]); }
};

template <class Visit>
BadIndex with_elements(const IndexView& index, const Visit& visit) {
  if (index.element_size == 4)
    return visit(Strided<int32_t>{static_cast<const int32_t*>(index.data), index.stride});
  return visit(Strided<int64_t>{static_cast<const int64_t*>(index.data), index.stride});
}

bool is_inside(int64_t row, int64_t n) {
  return static_cast<uint64_t>(row) < static_cast<uint64_t>(n);
}

// Counts into offsets[row + 1], and tells whether rows never descend.
template <class Rows>
BadIndex count(const Rows& rows, int64_t length, int64_t n, int64_t* offsets, bool& is_sorted) {
  std::fill(offsets, offsets + n + 1, 0);
  int64_t last = 0;
  is_sorted = true;
  for (int64_t k = 0; k < length; ++k) {
    const int64_t row = rows[k];
    if (!is_inside(row, n)) return row;
    ++offsets[row + 1];
    is_sorted &= last <= row;
    last = row;
  }
  for (int64_t i = 0; i < n; ++i) offsets[i + 1] += offsets[i];
  return std::nullopt;
}

// Places elements of one bucket or of all; `next` is where each row goes on.
template <class Rows>
void place(const Rows& rows, int64_t length, std::vector<int64_t>& next, int64_t* order,
           int64_t* sorted) {
  for (int64_t k = 0; k < length; ++k) {
    const int64_t row = rows[k];
    const int64_t position = next[static_cast<size_t>(row)]++;
    order[position] = k;
    sorted[position] = row;
  }
}

template <class Rows>
void place_in_buckets(const Rows& rows, int64_t length, int64_t n, const int64_t* offsets,
                      std::vector<int64_t>& next, int64_t* order, int64_t* sorted) {
  const int bits = std::bit_width(static_cast<uint64_t>(n));
  const int shift = std::max(bits - kMaxBucketBits, 0);
  std::vector<int64_t> fill;
  for (int64_t first = 0; first < n; first += int64_t{1} << shift) fill.push_back(offsets[first]);
  struct Entry {
    int64_t row, position;
  };
  std::vector<Entry> entries(static_cast<size_t>(length));
  for (int64_t k = 0; k < length; ++k) {
    const int64_t row = rows[k];
    entries[static_cast<size_t>(fill[static_cast<size_t>(row >> shift)]++)] = {row, k};
  }
  for (const Entry& entry : entries) {
    const int64_t position = next[static_cast<size_t>(entry.row)]++;
    order[position] = entry.position;
    sorted[position] = entry.row;
  }
}

}  // namespace

BadIndex sort_index(const IndexView& index, int64_t n, int64_t* offsets, int64_t* order,
                    int64_t* sorted) {
  return with_elements(index, [&](const auto& rows) -> BadIndex {
    bool is_sorted = true;
    if (const BadIndex bad = count(rows, index.length, n, offsets, is_sorted)) return bad;
    if (is_sorted) {
      for (int64_t k = 0; k < index.length; ++k) {
        order[k] = k;
        sorted[k] = rows[k];
      }
      return std::nullopt;
    }
    std::vector<int64_t> next(offsets, offsets + n);
    if (n <= kPlainRows || index.length <= n) {
      place(rows, index.length, next, order, sorted);
    } else {
      place_in_buckets(rows, index.length, n, offsets, next, order, sorted);
    }
    return std::nullopt;
  });
}

BadIndex permute_index(const IndexView& index, int64_t n, const int64_t* order, int64_t* result) {
  return with_elements(index, [&](const auto& rows) -> BadIndex {
    for (int64_t k = 0; k < index.length; ++k) {
      const int64_t row = rows[order[k]];
      if (!is_inside(row, n)) return row;
      result[k] = row;
    }
    return std::nullopt;
  });
}

BadIndex check_index(const IndexView& index, int64_t n, bool wrap, int64_t* result) {
  return with_elements(index, [&](const auto& rows) -> BadIndex {
    for (int64_t k = 0; k < index.length; ++k) {
      const int64_t given = rows[k];
      const int64_t row = wrap && given < 0 ? given + n : given;
      if (!is_inside(row, n)) return given;
      result[k] = row;
    }
    return std::nullopt;
  });
}

}  // namespace nfx
