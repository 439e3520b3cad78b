#include "runtime/index_bound.h"

namespace nfx {
namespace {

struct IndexOutOfRange {
  static constexpr std::string_view kCode = "index-out-of-range";
  std::string reader;
  int64_t index, size;
  std::string message() const {
    return "index " + std::to_string(index) + " of `" + reader +
           "` is out of bounds for a dimension with size " + std::to_string(size);
  }
  std::string help() const { return "look at the values of the index tensor"; }
};
NFX_DIAGNOSTIC(IndexOutOfRange);

// The positions are from `least` on, `count` of them.
struct Allowed {
  int64_t least;
  uint64_t count;
  bool operator()(int64_t position) const {
    return static_cast<uint64_t>(position) - static_cast<uint64_t>(least) < count;
  }
};

// Whether a run of elements is allowed; without a branch inside, for vector lanes.
template <class T>
bool all_allowed(const T* values, int64_t count, int64_t stride, Allowed allowed) {
  bool all = true;
  if (stride == 1) {
    for (int64_t i = 0; i < count; ++i) all &= allowed(static_cast<int64_t>(values[i]));
  } else {
    for (int64_t i = 0; i < count; ++i) all &= allowed(static_cast<int64_t>(values[i * stride]));
  }
  return all;
}

// Walks the index tensor, its last dimension (or all at once) as one run.
template <class T>
class Walk {
 public:
  Walk(const Frame& frame, const IndexBound& bound, Allowed allowed)
      : frame_(frame), bound_(bound), allowed_(allowed) {}

  Status run(const T* values, size_t dim) const {
    if (dim == bound_.sizes.size()) return run_last(values, 1, 1);
    const int64_t size = number(bound_.sizes[dim]), stride = number(bound_.strides[dim]);
    if (dim + 1 == bound_.sizes.size()) return run_last(values, size, stride);
    if (const int64_t rest = dense_rest(dim); rest >= 0) return run_last(values, rest, 1);
    for (int64_t i = 0; i < size; ++i) NFX_TRY(run(values + i * stride, dim + 1));
    return success();
  }

 private:
  int64_t number(NumberId id) const { return frame_.numbers[id]; }

  // Elements of the dimensions from `dim` on if they lie without gaps; else -1.
  int64_t dense_rest(size_t dim) const {
    int64_t count = 1;
    for (size_t d = bound_.sizes.size(); d-- > dim;) {
      if (number(bound_.sizes[d]) != 1 && number(bound_.strides[d]) != count) return -1;
      count *= number(bound_.sizes[d]);
    }
    return count;
  }

  Status run_last(const T* values, int64_t count, int64_t stride) const {
    if (all_allowed(values, count, stride, allowed_)) return success();
    int64_t at = 0;
    while (allowed_(static_cast<int64_t>(values[at * stride]))) ++at;
    const auto position = static_cast<int64_t>(values[at * stride]);
    return diagnose(IndexOutOfRange{bound_.reader, position, number(bound_.limit)});
  }

  const Frame& frame_;
  const IndexBound& bound_;
  Allowed allowed_;
};

template <class T>
Status check_as(const Frame& frame, const IndexBound& bound, const std::byte* data,
                Allowed allowed) {
  return Walk<T>(frame, bound, allowed).run(reinterpret_cast<const T*>(data), 0);
}

}  // namespace

Status check_index(const Frame& frame, const IndexBound& bound) {
  const KernelBufferRef& index = bound.index;
  const int64_t offset = index.offset == kNoIndex ? 0 : frame.numbers[index.offset];
  const std::byte* data = frame.data[index.slot] + offset;
  const int64_t limit = frame.numbers[bound.limit];
  const Allowed allowed{bound.negative ? -limit : 0,
                        static_cast<uint64_t>(bound.negative ? 2 * limit : limit)};
  switch (bound.dtype) {
    case Dtype::kInt64: return check_as<int64_t>(frame, bound, data, allowed);
    case Dtype::kInt32: return check_as<int32_t>(frame, bound, data, allowed);
    case Dtype::kInt16: return check_as<int16_t>(frame, bound, data, allowed);
    case Dtype::kInt8: return check_as<int8_t>(frame, bound, data, allowed);
    default: return check_as<uint8_t>(frame, bound, data, allowed);
  }
}

}  // namespace nfx
