// Memory and values for benchmarks of kernels.
#pragma once
#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>

#include "support/result.h"

namespace nfx {

// The value, or the end of the program with its diagnostic.
template <class T>
T must(Result<T> result) {
  if (result.ok()) return std::move(*result);
  std::fputs((result.error().str() + "\n").c_str(), stderr);
  std::exit(1);
}

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
template <class T>
using Array = std::unique_ptr<T[], Free>;

// Zeros, touched once, on huge pages where the system gives them.
template <class T>
Array<T> array(int64_t count) {
  constexpr size_t kHuge = size_t{1} << 21;
  const size_t bytes = (static_cast<size_t>(count) * sizeof(T) + kHuge - 1) / kHuge * kHuge;
  void* memory = std::aligned_alloc(kHuge, bytes);
  madvise(memory, bytes, MADV_HUGEPAGE);  // without it everything works the same
  std::memset(memory, 0, bytes);
  return Array<T>(static_cast<T*>(memory));
}

// Normally distributed values that repeat.
inline Array<float> floats(int64_t count) {
  Array<float> values = array<float>(count);
  std::mt19937 engine(1);
  std::normal_distribution<float> normal;
  for (int64_t k = 0; k < count; ++k) {
    const auto at = static_cast<size_t>(k);
    values[at] = k < 4096 ? normal(engine) : values[at - 4096];
  }
  return values;
}

}  // namespace nfx
