#include "runtime/memory_plan.h"

#include <algorithm>
#include <numeric>

namespace nfx {
namespace {

int64_t aligned(int64_t bytes) { return (bytes + kBufferAlignment - 1) & -kBufferAlignment; }

bool alive_together(const BufferLife& a, const BufferLife& b) {
  return a.first <= b.last && b.first <= a.last;
}

// Placed buffers in the order of their offsets.
class Block {
 public:
  int64_t place(const BufferLife& buffer) {
    const int64_t bytes = aligned(buffer.bytes);
    int64_t offset = 0;
    for (const Placed& other : placed_) {
      if (!alive_together(*other.buffer, buffer)) continue;
      if (offset + bytes <= other.offset) break;
      offset = std::max(offset, other.offset + aligned(other.buffer->bytes));
    }
    const Placed entry{offset, &buffer};
    const auto by_offset = [](const Placed& a, const Placed& b) { return a.offset < b.offset; };
    placed_.insert(std::upper_bound(placed_.begin(), placed_.end(), entry, by_offset), entry);
    return offset;
  }

 private:
  struct Placed {
    int64_t offset;
    const BufferLife* buffer;
  };
  std::vector<Placed> placed_;
};

}  // namespace

MemoryPlan plan_memory(std::span<const BufferLife> buffers) {
  std::vector<uint32_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return buffers[a].bytes > buffers[b].bytes; });
  MemoryPlan plan;
  plan.offsets.resize(buffers.size());
  Block block;
  for (const uint32_t index : order) {
    plan.offsets[index] = block.place(buffers[index]);
    plan.bytes = std::max(plan.bytes, plan.offsets[index] + aligned(buffers[index].bytes));
  }
  return plan;
}

}  // namespace nfx
