// Interval arithmetic of symbolic integers. INT64_MIN and INT64_MAX stand for
// the infinities; whatever leaves the 64-bit range saturates to them, so a range
// is never narrower than the truth.
#pragma once
#include <optional>
#include <span>

#include "ir/sym_expr.h"

namespace nfx {

inline constexpr SymRange kFullRange{};

// Python's // and %; nothing where the divisor is zero or the result overflows.
std::optional<int64_t> checked_floordiv(int64_t a, int64_t b);
std::optional<int64_t> checked_mod(int64_t a, int64_t b);
std::optional<int64_t> checked_pow(int64_t base, int64_t exponent);

SymRange range_add(SymRange a, SymRange b);
SymRange range_mul(SymRange a, SymRange b);
SymRange range_floordiv(SymRange a, SymRange b);
SymRange range_mod(SymRange a, SymRange b);

// The range of `op` over operands of these ranges. Operand ids tell squares.
SymRange range_of_op(SymOp op, std::span<const SymExprId> operands,
                     std::span<const SymRange> ranges);

}  // namespace nfx
