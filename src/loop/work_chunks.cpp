#include "loop/work_chunks.h"

#include <algorithm>

namespace nfx {
namespace {

// Fewer elements than this in a chunk, and waking a thread costs more than it
// saves; more, and the last thread is waited for.
constexpr int64_t kElements = int64_t{1} << 15;
constexpr int64_t kEdges = int64_t{1} << 14;
constexpr int64_t kMostChunks = 1 << 10;

// The offsets of the edges of the outermost rows, null if they have none.
const int64_t* edges_of_rows(const Kernel& kernel, void* const* buffers) {
  if (kernel.row_dims.empty()) return nullptr;
  for (const Dim& dim : kernel.dims) {
    if (dim.kind == Dim::Kind::kRagged && dim.parent == kernel.row_dims.front()) {
      return static_cast<const int64_t*>(buffers[dim.offsets]);
    }
  }
  return nullptr;
}

}  // namespace

WorkChunks::WorkChunks(const Kernel& kernel, void* const* buffers, const int64_t* scalars,
                       int64_t items, int64_t elements)
    : items_(items), count_(elements / kElements), offsets_(edges_of_rows(kernel, buffers)) {
  if (offsets_ != nullptr) {
    rows_ = value_of(kernel.dims[kernel.row_dims.front()].extent, scalars);
    count_ = (offsets_[rows_] - offsets_[0] + rows_) / kEdges;
  }
  count_ = std::max<int64_t>(1, std::min({count_, items_, kMostChunks}));
}

int64_t WorkChunks::begin(int64_t chunk) const {
  if (offsets_ == nullptr) return chunk * items_ / count_;
  if (chunk == count_) return items_;
  const int64_t wanted = chunk * (offsets_[rows_] - offsets_[0] + rows_) / count_;
  int64_t low = 0, high = rows_;
  while (low < high) {  // the first row with so much work before it
    const int64_t row = low + (high - low) / 2;
    if (offsets_[row] - offsets_[0] + row < wanted) {
      low = row + 1;
    } else {
      high = row;
    }
  }
  return low * (items_ / rows_);
}

}  // namespace nfx
