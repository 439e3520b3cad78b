// Division of a kernel's work items into chunks of about the same work, which
// depends on the data and not on threads.
#pragma once
#include <cstdint>

#include "loop/schedule.h"

namespace nfx {

class WorkChunks {
 public:
  // Of a kernel with `items` > 0 that handles about `elements` elements. Rows that
  // walk edges count one each and one an edge.
  WorkChunks(const Kernel& kernel, void* const* buffers, const int64_t* scalars, int64_t items,
             int64_t elements);

  int64_t count() const { return count_; }
  // The first item of a chunk; `count()` ends the last one.
  int64_t begin(int64_t chunk) const;

 private:
  int64_t items_;
  int64_t count_;
  const int64_t* offsets_ = nullptr;  // of the edges of rows; null: items are alike
  int64_t rows_ = 1;
};

}  // namespace nfx
