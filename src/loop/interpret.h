// What a kernel means: the reference that generated code is tested against.
// Slow and plain.
#pragma once
#include <cstdint>

#include "loop/kernel.h"
#include "loop/schedule.h"

namespace nfx {

// Runs rows begin_row .. end_row-1 of a verified kernel, numbered with the last
// row dimension fastest. `buffers` holds one pointer a buffer, `scalars` one
// 64-bit slot a scalar (float64 as its bits).
//
// Each reduction steps through its positions in order, in the dtype of its
// state. With a schedule, steps go to `accumulators` states in turn, which are
// merged and folded into the total every `block` steps, as generated code does:
// equal up to rounding, and what tests of a monoid's merge want.
void interpret(const Kernel& kernel, void* const* buffers, const int64_t* scalars,
               int64_t begin_row, int64_t end_row, const Schedule* schedule = nullptr);

// All rows.
void interpret(const Kernel& kernel, void* const* buffers, const int64_t* scalars);

}  // namespace nfx
