#include <algorithm>
#include <limits>

#include "loop/random_kernel_builder.h"

namespace nfx {

BufferId RandomKernelBuilder::new_buffer(Dtype dtype, BufferUse use, int64_t elements) {
  result_.memory.emplace_back(dtype, elements);
  for (int64_t n = 0; n < elements && use != BufferUse::kIn; ++n) {
    const Value one = is_floating(dtype) ? make_value(dtype, 1.0) : make_value(dtype, int64_t{1});
    result_.memory.back().set(n, one);
  }
  if (use == BufferUse::kIn) fill(result_.memory.back());
  return k_.buffer(dtype, use);
}

Extent RandomKernelBuilder::new_extent(int64_t value) {
  if (chance(40)) return {value, -1};
  result_.scalars.push_back(value);
  return k_.size();
}

// Strides of 0 and 1 are always constants.
Expr RandomKernelBuilder::number(int64_t value) {
  return k_.value(value <= 1 ? Extent{value, -1} : new_extent(value));
}

// Floats in quarters between -2 and 2, so that many are equal; rarely a corner.
void RandomKernelBuilder::fill(Memory& memory) {
  constexpr double kCorners[] = {std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN(), -0.0};
  const bool has_corners = chance(10);
  for (int64_t n = 0; n < memory.size(); ++n) {
    double value = static_cast<double>(below(17)) / 4 - 2;
    if (has_corners && chance(5)) value = kCorners[below(4)];
    const Dtype dtype = memory.dtype();
    const int64_t integer = dtype == Dtype::kBool ? below(2) : below(41) - 20;
    memory.set(n, is_floating(dtype) ? make_value(dtype, value) : make_value(dtype, integer));
  }
}

RandomKernelBuilder::Reach RandomKernelBuilder::new_dense() {
  const int64_t positions = pick(std::vector<int64_t>{1, 2, 3, 5, 8, 13, 16, 37});
  return {k_.dense(new_extent(positions)), positions, false};
}

RandomKernelBuilder::Reach RandomKernelBuilder::new_ragged(const Reach& parent) {
  const BufferId offsets = new_buffer(Dtype::kInt64, BufferUse::kIn, parent.positions + 1);
  int64_t end = 0;
  for (int64_t n = 0; n <= parent.positions; ++n) {
    result_.memory[offsets].set(n, make_value(Dtype::kInt64, end));
    end += chance(30) ? 0 : below(chance(20) ? 40 : 6);
  }
  const auto total = static_cast<int64_t>(result_.memory[offsets][parent.positions]);
  return {k_.ragged(parent.dim, offsets), total, true};
}

// An offset that is linear in the dimensions: any order, gaps, broadcasts.
Expr RandomKernelBuilder::strided(Reaches reaches, int64_t& elements) {
  shuffle(reaches);
  int64_t stride = chance(80) ? 1 : 2 + below(2);
  int64_t last = chance(80) ? 0 : below(4);
  Expr offset = k_.constant(Dtype::kInt64, static_cast<double>(last));
  for (const Reach& reach : reaches) {
    const int64_t step = chance(15) ? 0 : stride;
    offset = offset + k_.index(reach.dim) * number(step);
    last += step * std::max<int64_t>(reach.positions - 1, 0);
    if (step != 0) stride *= std::max<int64_t>(reach.positions, 1) + (chance(20) ? 1 : 0);
  }
  elements = last + 1;
  return offset;
}

Expr RandomKernelBuilder::load(Dtype dtype) {
  const Reaches seen = some(visible_, 70);
  if (!seen.empty() && chance(15)) {
    // Row `index[i]` of a table, as a graph network gathers.
    constexpr int64_t kTableRows = 7;
    int64_t count = 0;
    const Expr at = strided({pick(seen)}, count);
    const BufferId index = new_buffer(Dtype::kInt64, BufferUse::kIn, count);
    for (int64_t n = 0; n < count; ++n) {
      result_.memory[index].set(n, make_value(Dtype::kInt64, below(kTableRows)));
    }
    int64_t width = 0;
    const Expr column = strided(some(visible_, 40), width);
    const BufferId table = new_buffer(dtype, BufferUse::kIn, kTableRows * width);
    return k_.load(table, k_.load(index, at) * number(width) + column);
  }
  int64_t elements = 0;
  const Expr offset = strided(seen, elements);
  if (!seen.empty() && chance(10)) {
    // As padding reads: elements before the first are zero.
    const Expr position = k_.index(pick(seen).dim);
    const BufferId buffer = new_buffer(dtype, BufferUse::kIn, elements);
    return k_.load(buffer, offset - 1, (position >= 1) & (offset >= 1));
  }
  return k_.load(new_buffer(dtype, BufferUse::kIn, elements), offset);
}

}  // namespace nfx
