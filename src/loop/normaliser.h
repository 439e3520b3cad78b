// A weighted sum whose weights are a softmax over the same dimension is divided
// once, not weight by weight, and then needs no pass over the weights of its own:
//
//   stage reduce e                        stage map f reduce e
//     r1 = sum(exp(z - r0))          =>     r1 = sum(exp(z - r0)*x)
//   stage map f reduce e                    r2 = sum(exp(z - r0))
//     r2 = sum(exp(z - r0)/r1*x)            store b[f] = select(eq(r2, 0), r1, r1/r2)
//     store b[f] = r2
//
// with r0 the largest z: the terms are at most 1 and their sum at least 1, or
// there are none. The result differs by rounding only. Does not apply where the
// sum is used for anything else, as by a kernel that stores the weights too.
//
// Test: tests/unit/loop/normaliser_test.cpp
#pragma once
#include "loop/kernel.h"

namespace nfx {

// Whether something changed.
bool divide_sums_last(Kernel& kernel);

}  // namespace nfx
