// Small kernels that several tests use.
#pragma once
#include <gtest/gtest.h>

#include <string_view>

#include "loop/parse.h"

namespace nfx::testing_kernels {

inline Kernel parsed(std::string_view text) {
  auto kernel = parse_kernel(text);
  EXPECT_TRUE(kernel.ok()) << (kernel.ok() ? "" : kernel.error().str());
  return kernel.ok() ? std::move(*kernel) : Kernel{};
}

inline constexpr std::string_view kSoftmax = R"(
kernel softmax(b0: float32 in, b1: float32 out; s0: int64, s1: int64)
dim i = dense(s0)
dim j = dense(s1)
rows i
stage reduce j
  r0 = max(load b0[i*s1 + j])
stage reduce j
  r1 = sum(exp(load b0[i*s1 + j] - r0))
stage map j
  store b1[i*s1 + j] = exp(load b0[i*s1 + j] - r0)/r1
)";

// b0 x [n, f], b1 weight [e], b2 source [e], b3 offsets [n + 1], b4 out [n, f].
inline constexpr std::string_view kWeightedSum = R"(
kernel weighted_sum(b0: float32 in, b1: float32 in, b2: int64 in, b3: int64 in, b4: float32 out;
                    s0: int64, s1: int64)
dim i = dense(s0)
dim f = dense(s1)
dim e = ragged(i, b3)
rows i f
stage reduce e
  r0 = sum(load b1[e]*load b0[load b2[e]*s1 + f])
  store b4[i*s1 + f] = r0
)";

// b0 scores [e], b1 offsets [n + 1], b2 out [e].
inline constexpr std::string_view kEdgeSoftmax = R"(
kernel edge_softmax(b0: float32 in, b1: int64 in, b2: float32 out; s0: int64)
dim i = dense(s0)
dim e = ragged(i, b1)
rows i
stage reduce e: r0 = max(load b0[e])
stage reduce e: r1 = sum(exp(load b0[e] - r0))
stage map e:    store b2[e] = exp(load b0[e] - r0)/r1
)";

// Sum over dimension 0 of a [s0, s1] matrix.
inline constexpr std::string_view kColumnSum = R"(
kernel column_sum(b0: float32 in, b1: float32 out; s0: int64, s1: int64)
dim j = dense(s1)
dim i = dense(s0)
rows j
stage reduce i
  r0 = sum(load b0[i*s1 + j])
  store b1[j] = r0
)";

}  // namespace nfx::testing_kernels
