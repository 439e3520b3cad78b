// Attention over in-edges, in one kernel.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "loop/kernels.h"
#include "loop/memory.h"

namespace nfx {

struct Attention {
  Kernel kernel;
  std::vector<Memory> memory;
  std::vector<int64_t> scalars;
};

// Rows of `heads` times `features`; segments of every length, also none and many.
inline Attention attention(int64_t heads, int64_t features) {
  const std::string h = std::to_string(heads), f = std::to_string(features);
  const std::string row = std::to_string(heads * features);
  const std::string logit = "t0 = load b0[load b3[e]*" + h + " + h] + load b1[i*" + h + " + h]\n";
  std::string text =
      "kernel attention(b0: float32 in, b1: float32 in, b2: float32 in, b3: int64 "
      "in, b4: int64 in, b5: float32 out; s0: int64)\n"
      "dim i = dense(s0)\ndim h = dense(" +
      h +
      ")\ndim e = ragged(i, b4)\n"
      "dim f = dense(" +
      f +
      ")\nrows i h\n"
      "stage reduce e\n  let " +
      logit +
      "  let t1 = select(gt(t0, 0.0f), t0, t0*0.2f)\n  r0 = max(t1)\n"
      "stage reduce e\n  r1 = sum(exp(t1 - r0))\n"
      "stage map f reduce e\n"
      "  r2 = sum(exp(t1 - r0)/r1*load b2[load b3[e]*" +
      row + " + h*" + f +
      " + f])\n"
      "  store b5[i*" +
      row + " + h*" + f + " + f] = r2\n";
  Attention result;
  result.kernel = testing_kernels::parsed(text.c_str());
  std::vector<double> offsets = {0};
  for (int64_t degree : {3, 0, 1, 31, 32, 33, 150, 0, 7, 300}) {
    offsets.push_back(offsets.back() + static_cast<double>(degree));
  }
  const auto nodes = static_cast<int64_t>(offsets.size()) - 1;
  const auto values = [](int64_t count, double scale) {
    std::vector<double> list;
    for (int64_t k = 0; k < count; ++k)
      list.push_back(scale * static_cast<double>(k * 37 % 101 - 50));
    return list;
  };
  std::vector<double> sources;
  for (int64_t e = 0; e < static_cast<int64_t>(offsets.back()); ++e) {
    sources.push_back(static_cast<double>(e * 7 % nodes));
  }
  result.memory = {Memory(Dtype::kFloat32, values(nodes * heads, 0.04)),
                   Memory(Dtype::kFloat32, values(nodes * heads, 0.03)),
                   Memory(Dtype::kFloat32, values(nodes * heads * features, 0.02)),
                   Memory(Dtype::kInt64, sources),
                   Memory(Dtype::kInt64, offsets),
                   Memory(Dtype::kFloat32, nodes * heads * features)};
  result.scalars = {nodes};
  return result;
}

}  // namespace nfx
