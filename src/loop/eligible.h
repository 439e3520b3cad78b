// Which nodes loop kernels can compute.
#pragma once
#include <string>

#include "ir/graph.h"

namespace nfx {

enum class FuseRole : uint8_t {
  kNone,        // not for loop kernels
  kElement,     // one value per element: pointwise ops, gathers, paddings
  kFold,        // a reduction
  kView,        // shares the memory of operand 0
  kInline,      // recomputed by each user: factories, and reads of memory at given positions
  kProjection,  // `getitem` of a tuple result
};

struct Eligibility {
  FuseRole role = FuseRole::kNone;
  std::string reason;  // for kNone
};

Eligibility eligibility(Node node);

// Element types that kernels read, write and compute with.
bool is_kernel_dtype(Dtype dtype);

}  // namespace nfx
