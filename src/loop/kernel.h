// A loop kernel: a nest of loops over spaces, the one input of the code
// generator. Plain data: fusion writes it, `verify` checks it, `interpret`
// defines it, `jit` compiles it.
//
// A kernel walks a space of rows (the product of its row dimensions, in
// parallel and in any order) and for each row runs its stages in order. A stage
// walks its own map dimensions; for each of their positions it reduces over its
// reduce dimensions and then stores. Softmax over the last dimension:
//
//   kernel softmax(b0: float32 in, b1: float32 out; s0, s1)
//   dim i = dense(s0)
//   dim j = dense(s1)
//   rows i
//   stage reduce j: r0 = max(load b0[i*s1 + j])
//   stage reduce j: r1 = sum(exp(load b0[i*s1 + j] - r0))
//   stage map j:    store b1[i*s1 + j] = exp(load b0[i*s1 + j] - r0) / r1
//
// An edge softmax is the same kernel with `dim j = ragged(i, b2)`: for row i
// the positions offsets[i] <= j < offsets[i + 1]. A weighted sum over in-edges:
//
//   rows i f
//   stage reduce e: r0 = sum(load b1[e] * load b0[load b2[e]*s1 + f])
//                   store b4[i*s1 + f] = r0
//
// docs/loops.md has the grammar and more examples; builder.h makes kernels in
// C++, monoids.h has the usual reductions.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "expr/expr.h"

namespace nfx {

using DimId = uint32_t;
using BufferId = uint32_t;

// A number known when the kernel is made, or the value of a kernel scalar.
struct Extent {
  int64_t constant = 0;
  int32_t scalar = -1;  // index of a kernel scalar, -1: the constant holds
  friend bool operator==(const Extent&, const Extent&) = default;
};

struct Dim {
  enum class Kind : uint8_t { kDense, kRagged };
  Kind kind = Kind::kDense;
  Extent extent;         // dense: positions 0 .. extent-1
  DimId parent = 0;      // ragged: the row dimension whose position picks the segment
  BufferId offsets = 0;  // ragged: int64 buffer of parent extent + 1 offsets
  std::string name;      // for the text form only
};

enum class BufferUse : uint8_t { kIn, kOut, kInOut };

struct KernelBuffer {
  Dtype dtype = Dtype::kFloat32;
  BufferUse use = BufferUse::kIn;
};

// A reduction is a monoid with tuple state. `init`, `merge` and `finish` are
// expressions over kState and kOther leaves; `step` also over everything that
// the element can see. Sum: init {0}, step {state0 + x}, merge {state0 + other0},
// finish {state0}. `finish` gives the components that kReduced leaves refer to.
struct Reduction {
  std::vector<ExprId> init;
  std::vector<ExprId> step;
  std::vector<ExprId> merge;
  std::vector<ExprId> finish;
};

struct Store {
  BufferId buffer = 0;
  ExprId offset = kNoExpr;  // int64, in elements
  ExprId value = kNoExpr;   // of the buffer's dtype
  ExprId guard = kNoExpr;   // bool; stores only where it holds
};

// Reductions of a stage without map dimensions can be used by all later stages
// (kReduced numbers count reductions over all stages in order); those of a stage
// with map dimensions only by its own stores. Stores happen once per position of
// the map dimensions, after the reductions. A later stage of the same row sees
// what an earlier stage stored.
struct Stage {
  std::vector<DimId> map_dims;     // outermost first
  std::vector<DimId> reduce_dims;  // outermost first
  std::vector<Reduction> reductions;
  std::vector<Store> stores;
};

struct Kernel {
  std::string name;
  std::vector<KernelBuffer> buffers;
  std::vector<Dtype> scalars;  // kInt64 or kFloat64; passed as 64-bit slots
  std::vector<Dim> dims;
  std::vector<DimId> row_dims;  // outermost first; all dense. Empty: one row
  std::vector<Stage> stages;
  ExprPool exprs;
};

// The value of an extent; `scalars` are the kernel's scalars as 64-bit slots.
int64_t value_of(const Extent& extent, const int64_t* scalars);

// Product of the extents of the row dimensions, 1 if there are none.
int64_t row_count(const Kernel& kernel, const int64_t* scalars);

// The number by which kReduced leaves know the first reduction of a stage.
uint32_t first_reduction(const Kernel& kernel, size_t stage);

// The payload of a kReduced leaf and its parts.
inline uint64_t reduced_payload(uint32_t number, uint32_t component) {
  return uint64_t{number} << 8 | component;
}
inline uint32_t reduction_of(const ExprNode& reduced) {
  return static_cast<uint32_t>(reduced.payload >> 8);
}
inline uint32_t component_of(const ExprNode& reduced) { return reduced.payload & 0xff; }

}  // namespace nfx
