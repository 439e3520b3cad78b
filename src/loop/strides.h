// How expressions move when one dimension takes a step: what tells a contiguous
// access from a broadcast and from a gather.
#pragma once
#include <cstdint>
#include <vector>

#include "loop/kernel.h"

namespace nfx {

// The change of an int64 expression for one step along a dimension.
struct LinearTerm {
  enum class Kind : uint8_t {
    kUniform,  // does not depend on the dimension
    kLinear,   // changes by multiplier, times the kernel scalar if there is one
    kOther,    // depends on it in another way, or is no int64
  };
  Kind kind = Kind::kUniform;
  int64_t multiplier = 0;
  int32_t scalar = -1;

  bool is_uniform() const { return kind == Kind::kUniform; }
  bool is_contiguous() const { return kind == Kind::kLinear && scalar < 0 && multiplier == 1; }
  friend bool operator==(const LinearTerm&, const LinearTerm&) = default;
};

// The terms of all expressions of a verified kernel along one dimension, found
// in one walk over the pool. `d0*s0 + d1*4` moves by s0 along d0 and by 4 along
// d1; `load b2[d1]*s0` is uniform along d0 and kOther along d1. A reduction is
// uniform along rows that none of its elements depend on. States of monoids are
// kOther.
class Strides {
 public:
  Strides(const Kernel& kernel, DimId dim);

  const LinearTerm& operator[](ExprId id) const { return terms_[id]; }
  DimId dim() const { return dim_; }

 private:
  bool depends(const Reduction& reduction, const Stage& stage) const;
  LinearTerm term(const ExprNode& node) const;
  LinearTerm leaf(const ExprNode& node) const;
  LinearTerm sum(const ExprNode& node) const;
  LinearTerm product(const ExprNode& node) const;

  const Kernel& kernel_;
  DimId dim_;
  std::vector<LinearTerm> terms_;  // by expression
  std::vector<bool> varying_;      // by reduction: depends on the dimension
};

}  // namespace nfx
