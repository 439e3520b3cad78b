// Running kernels by compiled code in tests.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "jit/jit.h"
#include "loop/memory.h"

namespace nfx {

// One for all tests, for this machine.
inline Jit& host_jit() {
  static const std::unique_ptr<Jit> jit = [] {
    auto made = Jit::create();
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().str());
    return std::move(*made);
  }();
  return *jit;
}

// For every vector width that this machine can run, the widest first. The
// narrower ones do without what came with the wider: masks, then 256 bits.
inline std::vector<std::unique_ptr<Jit>> make_jits() {
  std::vector<JitOptions> options;
  options.push_back({});
#ifdef __x86_64__
  const std::string no_avx512 = "-avx512f,-avx512vl,-avx512bw,-avx512dq,-avx512cd";
  options.push_back({.features = no_avx512});
  options.push_back({.features = no_avx512 + ",-avx2,-avx,-fma,-f16c,-xop,-fma4"});
#endif
  options.push_back({.vector_bits = 128});
  std::vector<std::unique_ptr<Jit>> jits;
  for (const JitOptions& each : options) {
    auto made = Jit::create(each);
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().str());
    if (made.ok()) jits.push_back(std::move(*made));
  }
  return jits;
}

inline const std::vector<std::unique_ptr<Jit>>& all_jits() {
  static const std::vector<std::unique_ptr<Jit>> jits = make_jits();
  return jits;
}

inline std::shared_ptr<const CompiledKernel> compiled(const Kernel& kernel, Jit& jit = host_jit()) {
  auto code = jit.compile(kernel);
  EXPECT_TRUE(code.ok()) << (code.ok() ? "" : code.error().str());
  return code.ok() ? *code : nullptr;
}

// All work items, in ranges of at most `chunk`.
inline void run(const Kernel& kernel, const CompiledKernel& code, std::vector<Memory>& memory,
                const std::vector<int64_t>& scalars, int64_t chunk = 1 << 30) {
  const std::vector<void*> buffers = pointers(memory);
  const int64_t items = work_items(kernel, code.schedule, scalars.data());
  for (int64_t begin = 0; begin < items; begin += chunk) {
    code.run(buffers.data(), scalars.data(), begin, std::min(items, begin + chunk));
  }
}

inline bool same_bits(const Memory& a, const Memory& b) {
  for (int64_t k = 0; k < a.size(); ++k) {
    if (!same(a.at(k), b.at(k))) return false;
  }
  return true;
}

// Compiled against interpreted; every buffer the kernel writes is compared.
inline void expect_as_interpreted(const Kernel& kernel, const std::vector<Memory>& memory,
                                  const std::vector<int64_t>& scalars, double tolerance,
                                  Jit& jit = host_jit()) {
  const auto code = compiled(kernel, jit);
  ASSERT_NE(code, nullptr);
  std::vector<Memory> got = memory;
  std::vector<Memory> want = memory;
  run(kernel, *code, got, scalars);
  run_reference(kernel, want, scalars);
  for (size_t b = 0; b < memory.size(); ++b) {
    EXPECT_EQ(difference(got[b], want[b], tolerance), "") << "buffer " << b;
  }
}

}  // namespace nfx
