// Owned buffers for running kernels in tests.
#pragma once
#include <cmath>
#include <string>
#include <vector>

#include "expr/value.h"
#include "loop/interpret.h"
#include "loop/parse.h"

namespace nfx {

// One buffer of a kernel: bytes aligned for every dtype.
class Memory {
 public:
  Memory(Dtype dtype, int64_t elements)
      : dtype_(dtype), elements_(elements), words_(word_count(dtype, elements), 0) {}

  Memory(Dtype dtype, const std::vector<double>& values)
      : Memory(dtype, static_cast<int64_t>(values.size())) {
    for (size_t k = 0; k < values.size(); ++k) {
      set(static_cast<int64_t>(k), is_floating(dtype)
                                       ? make_value(dtype, values[k])
                                       : make_value(dtype, static_cast<int64_t>(values[k])));
    }
  }

  Dtype dtype() const { return dtype_; }
  int64_t size() const { return elements_; }
  void* data() { return words_.data(); }
  Value at(int64_t index) const { return load_value(words_.data(), index, dtype_); }
  double operator[](int64_t index) const { return as_double(at(index)); }
  void set(int64_t index, const Value& value) { store_value(words_.data(), index, value); }

 private:
  static size_t word_count(Dtype dtype, int64_t elements) {
    return static_cast<size_t>((elements * dtype_size(dtype) + 7) / 8);
  }

  Dtype dtype_;
  int64_t elements_;
  std::vector<uint64_t> words_;
};

inline std::vector<void*> pointers(std::vector<Memory>& memory) {
  std::vector<void*> list;
  for (Memory& each : memory) list.push_back(each.data());
  return list;
}

// The first element by which `got` is not `want`, or nothing. Floats may differ
// by `tolerance` relative to 1 + |want|; NaN is NaN and infinities are exact.
inline std::string difference(const Memory& got, const Memory& want, double tolerance) {
  for (int64_t k = 0; k < want.size(); ++k) {
    const Value a = got.at(k);
    const Value b = want.at(k);
    if (same(a, b)) continue;
    const bool is_close = is_floating(b.dtype) && std::isfinite(b.number) &&
                          std::fabs(a.number - b.number) <= tolerance * (1 + std::fabs(b.number));
    if (is_close) continue;
    return "element " + std::to_string(k) + " is " + std::to_string(as_double(a)) + ", not " +
           std::to_string(as_double(b));
  }
  return "";
}

// All rows of the kernel on the reference interpreter.
inline void run_reference(const Kernel& kernel, std::vector<Memory>& memory,
                          const std::vector<int64_t>& scalars, const Schedule* schedule = nullptr) {
  const std::vector<void*> buffers = pointers(memory);
  const int64_t rows = row_count(kernel, scalars.data());
  interpret(kernel, buffers.data(), scalars.data(), 0, rows, schedule);
}

}  // namespace nfx
