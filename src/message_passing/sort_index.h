// Sorts and checks indices of nodes: what a graph's structure is made of.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

namespace nfx {

// A tensor of row numbers, int32 or int64, in memory.
struct IndexView {
  const void* data = nullptr;
  size_t element_size = 8;
  int64_t length = 0;
  int64_t stride = 1;  // in elements
};

// A row number outside of its range.
using BadIndex = std::optional<int64_t>;

// Stable counting sort. `offsets` [n + 1]: the positions of row i are offsets[i] to
// offsets[i + 1] - 1; `order` [length]: where each position comes from; `sorted`
// [length]: index[order[k]]. Nothing is defined where a bad index is returned.
BadIndex sort_index(const IndexView& index, int64_t n, int64_t* offsets, int64_t* order,
                    int64_t* sorted);

// result[k] = index[order[k]], each checked to be in [0, n).
BadIndex permute_index(const IndexView& index, int64_t n, const int64_t* order, int64_t* result);

// result[k] = index[k], checked to be in [0, n). With `wrap`, [-n, 0) counts from the end.
BadIndex check_index(const IndexView& index, int64_t n, bool wrap, int64_t* result);

}  // namespace nfx
