// The order of nodes: each has a 64-bit label that grows along the list, so two
// nodes compare in constant time. Where an insertion finds no free label, the
// labels of a neighbourhood are spread evenly. The neighbourhood grows until it
// is sparse enough, which makes insertion O(log n) amortised (Bender, Cole,
// Demaine, Farach-Colton, Zito: "Two simplified algorithms for maintaining order
// in a list", 2002).
#include <algorithm>

#include "ir/node_table.h"

namespace nfx {
namespace {

constexpr uint64_t kEnd = uint64_t{1} << 63;   // labels lie in (0, kEnd)
constexpr uint64_t kStep = uint64_t{1} << 31;  // between appended nodes
// Between nodes put one by one before the same node, so that a long run of them
// fits into one gap.
constexpr uint64_t kRunStep = uint64_t{1} << 12;
constexpr double kDensityStep = 2 / 1.4;  // nodes that a range may hold, per doubling

struct Span {
  NodeId first, last;  // neighbours in the list
  uint64_t count = 1;
};

// Extends `span` to all nodes with labels in [base, base + size).
void widen(const NodeTable& table, Span& span, uint64_t base, uint64_t size) {
  const auto& records = table.records;
  while (const NodeId prev = records[span.first.value].prev) {
    if (records[prev.value].order < base) break;
    span.first = prev;
    ++span.count;
  }
  while (const NodeId next = records[span.last.value].next) {
    if (records[next.value].order - base >= size) break;
    span.last = next;
    ++span.count;
  }
}

// Makes room around `node`: afterwards there is a free label on both its sides.
void spread(NodeTable& table, NodeId node) {
  Span span{node, node};
  uint64_t size = 1;
  uint64_t base = table.records[node.value].order;
  double capacity = 1;
  do {
    size <<= 1;
    capacity *= kDensityStep;
    base &= ~(size - 1);
    widen(table, span, base, size);
  } while (size < kEnd && (static_cast<double>(span.count) > capacity || size / span.count < 4));
  const uint64_t gap = size / span.count;
  uint64_t label = base + gap / 2;
  for (NodeId id = span.first;; id = table.records[id.value].next) {
    table.records[id.value].order = label;
    label += gap;
    if (id == span.last) break;
  }
}

}  // namespace

uint64_t NodeTable::label_between(NodeId prev, NodeId next) {
  while (true) {
    const uint64_t low = prev ? records[prev.value].order : 0;
    const uint64_t high = next ? records[next.value].order : kEnd;
    if (!next && high - low > kStep) return low + kStep;
    if (high - low >= 2) return low + std::min((high - low) / 2, kRunStep);
    spread(*this, prev ? prev : next);
  }
}

}  // namespace nfx
