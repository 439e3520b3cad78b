#include "ir/sym_simplify.h"

#include <algorithm>
#include <array>
#include <vector>

#include "ir/sym_poly.h"
#include "ir/sym_range.h"

namespace nfx {
namespace {

bool known_nonzero(const Context& context, SymExprId id) {
  SymRange r = range_of(context, id);
  return r.lower > 0 || r.upper < 0;
}

bool known_positive(const Context& context, SymExprId id) {
  return range_of(context, id).lower > 0;
}

SymExprId raw_binary(Context& context, SymOp op, SymExprId a, SymExprId b) {
  return sym_raw(context, op, SymKind::kInt, std::array{a, b});
}

// a = quotient * b + rest, term by term. The rest has what b does not divide.
struct Split {
  SymPoly quotient;
  SymPoly rest;
};

Split split_by(Context& context, const SymPoly& a, const SymPoly& b) {
  Split split;
  bool single = b.terms.size() + (b.constant != 0 ? 1 : 0) == 1;
  SymTerm divisor = b.terms.empty() ? SymTerm{b.constant, {}} : b.terms[0];
  for (const SymTerm& term : a.terms) {
    auto q = single ? divide_term(context, term, divisor) : std::nullopt;
    if (!q) {
      split.rest.terms.push_back(term);
    } else if (q->monomial) {
      split.quotient.terms.push_back(*q);
    } else {
      split.quotient.constant = q->coefficient;
    }
  }
  split.rest.constant = a.constant;
  if (b.terms.empty()) {
    // Python's division of the constant leaves 0 <= rest < b (or b < rest <= 0).
    auto q = checked_floordiv(a.constant, b.constant);
    if (q) split.quotient.constant = *q, split.rest.constant = *checked_mod(a.constant, b.constant);
  }
  return split;
}

// a == factor * b for an integer factor.
std::optional<int64_t> ratio(const SymPoly& a, const SymPoly& b) {
  if (b.terms.empty() || a.terms.size() != b.terms.size()) return std::nullopt;
  int64_t divisor = b.terms[0].coefficient;
  if (divisor == 0 || divisor == -1 || a.terms[0].coefficient % divisor != 0) return std::nullopt;
  int64_t factor = a.terms[0].coefficient / divisor;
  auto scaled = poly_scale(b, factor);
  if (!scaled || scaled->constant != a.constant) return std::nullopt;
  for (size_t i = 0; i < a.terms.size(); ++i) {
    if (scaled->terms[i].monomial != a.terms[i].monomial ||
        scaled->terms[i].coefficient != a.terms[i].coefficient) {
      return std::nullopt;
    }
  }
  return factor;
}

void divide_all(SymPoly& poly, int64_t divisor) {
  poly.constant /= divisor;
  for (SymTerm& term : poly.terms) term.coefficient /= divisor;
}

// Divides both by their common integer divisor, which is returned.
int64_t reduce(SymPoly& a, SymPoly& b) {
  int64_t content = poly_content(b);
  if (content > 1) {
    SymPoly both{.terms = a.terms, .constant = a.constant};
    both.terms.push_back({content, {}});
    content = poly_content(both);
  }
  if (content <= 1) return 1;
  divide_all(a, content);
  divide_all(b, content);
  return content;
}

bool within_divisor(Context& context, SymExprId rest, SymExprId divisor) {
  return range_of(context, rest).lower >= 0 &&
         compare(context, SymOp::kLt, rest, divisor) == Truth::kYes;
}

// The quotient of what b divides nowhere term by term.
SymExprId floordiv_rest(Context& context, SymPoly rest, SymPoly divisor) {
  reduce(rest, divisor);
  SymExprId a = from_poly(context, rest), b = from_poly(context, divisor);
  if (within_divisor(context, a, b)) return sym_int(context, 0);
  if (as_int(context, b) == 1) return a;
  SymRange range = range_floordiv(range_of(context, a), range_of(context, b));
  if (range.lower == range.upper && range.lower != INT64_MIN && range.upper != INT64_MAX) {
    return sym_int(context, range.lower);
  }
  // (x // c) // d is x // (c * d) for positive constants.
  const SymNode& inner = sym_node(context, a);
  auto outer_divisor = as_int(context, b);
  if (inner.op == SymOp::kFloorDiv && outer_divisor && *outer_divisor > 0) {
    auto inner_divisor = as_int(context, inner.operands[1]);
    int64_t product;
    if (inner_divisor && *inner_divisor > 0 &&
        !__builtin_mul_overflow(*inner_divisor, *outer_divisor, &product)) {
      return sym_floordiv(context, inner.operands[0], sym_int(context, product));
    }
  }
  return raw_binary(context, SymOp::kFloorDiv, a, b);
}

}  // namespace

SymExprId simplify_floordiv(Context& context, SymExprId a, SymExprId b) {
  auto x = as_int(context, a), y = as_int(context, b);
  if (y == 1) return a;
  if (x && y) {
    auto q = checked_floordiv(*x, *y);
    return q ? sym_int(context, *q) : raw_binary(context, SymOp::kFloorDiv, a, b);
  }
  if (!known_nonzero(context, b)) return raw_binary(context, SymOp::kFloorDiv, a, b);
  SymPoly dividend = to_poly(context, a), divisor = to_poly(context, b);
  if (auto factor = ratio(dividend, divisor)) return sym_int(context, *factor);
  Split split = split_by(context, dividend, divisor);
  SymExprId quotient = from_poly(context, split.quotient);
  return sym_add(context, quotient, floordiv_rest(context, split.rest, divisor));
}

SymExprId simplify_ceildiv(Context& context, SymExprId a, SymExprId b) {
  if (known_positive(context, b)) {
    SymExprId last = sym_add(context, b, sym_int(context, -1));
    return sym_floordiv(context, sym_add(context, a, last), b);
  }
  SymExprId minus = sym_int(context, -1);
  return sym_mul(context, minus, sym_floordiv(context, sym_mul(context, minus, a), b));
}

SymExprId simplify_mod(Context& context, SymExprId a, SymExprId b) {
  auto x = as_int(context, a), y = as_int(context, b);
  if (y == 1) return sym_int(context, 0);
  if (x && y) {
    auto r = checked_mod(*x, *y);
    return r ? sym_int(context, *r) : raw_binary(context, SymOp::kMod, a, b);
  }
  if (!known_nonzero(context, b)) return raw_binary(context, SymOp::kMod, a, b);
  SymPoly dividend = to_poly(context, a), divisor = to_poly(context, b);
  if (ratio(dividend, divisor)) return sym_int(context, 0);
  SymPoly rest = split_by(context, dividend, divisor).rest;
  int64_t content = reduce(rest, divisor);
  SymExprId r = from_poly(context, rest), d = from_poly(context, divisor);
  if (as_int(context, d) == 1 || as_int(context, r) == 0) {
    r = sym_int(context, 0);
  } else if (!within_divisor(context, r, d)) {
    // (x % (c * d)) % d is x % d.
    const SymNode& inner = sym_node(context, r);
    auto small = as_int(context, d);
    auto large = inner.op == SymOp::kMod ? as_int(context, inner.operands[1]) : std::nullopt;
    bool nested = small && large && *small > 0 && *large > 0 && *large % *small == 0;
    r = nested ? sym_mod(context, inner.operands[0], d) : raw_binary(context, SymOp::kMod, r, d);
  }
  return sym_mul(context, sym_int(context, content), r);
}

namespace {

// Operands of nested Max (or And ...) in one list, sorted, each once.
std::vector<SymExprId> flatten(Context& context, SymOp op, std::span<const SymExprId> operands) {
  std::vector<SymExprId> flat;
  for (SymExprId id : operands) {
    const SymNode& node = sym_node(context, id);
    if (node.op == op) {
      flat.insert(flat.end(), node.operands.begin(), node.operands.end());
    } else {
      flat.push_back(id);
    }
  }
  sym_sort(context, flat);
  flat.erase(std::ranges::unique(flat).begin(), flat.end());
  return flat;
}

}  // namespace

SymExprId simplify_extremum(Context& context, SymOp op, std::span<const SymExprId> operands) {
  constexpr size_t kMaxCompared = 16;
  std::vector<SymExprId> flat = flatten(context, op, operands);
  auto never_chosen = [&](SymExprId id) {
    return std::ranges::any_of(flat, [&](SymExprId other) {
      if (other == id) return false;
      auto [low, high] = op == SymOp::kMax ? std::pair(id, other) : std::pair(other, id);
      return compare(context, SymOp::kLe, low, high) == Truth::kYes;
    });
  };
  for (size_t i = 0; i < flat.size() && flat.size() <= kMaxCompared;) {
    if (never_chosen(flat[i])) {
      flat.erase(flat.begin() + static_cast<ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  return flat.size() == 1 ? flat[0] : sym_raw(context, op, SymKind::kInt, flat);
}

SymExprId simplify_pow(Context& context, SymExprId base, SymExprId exponent) {
  constexpr int64_t kMaxExpanded = 8;
  auto n = as_int(context, exponent);
  if (n && *n >= 0 && *n <= kMaxExpanded) {
    SymExprId product = sym_int(context, 1);
    for (int64_t i = 0; i < *n; ++i) product = sym_mul(context, product, base);
    return product;
  }
  SymKind kind = range_of(context, exponent).lower >= 0 ? SymKind::kInt : SymKind::kFloat;
  return sym_raw(context, SymOp::kPow, kind, std::array{base, exponent});
}

SymExprId simplify_logic(Context& context, SymOp op, std::span<const SymExprId> operands) {
  bool absorbing = op == SymOp::kOr;
  std::vector<SymExprId> flat = flatten(context, op, operands);
  if (std::ranges::find(flat, sym_bool(context, absorbing)) != flat.end()) {
    return sym_bool(context, absorbing);
  }
  std::erase(flat, sym_bool(context, !absorbing));
  if (flat.empty()) return sym_bool(context, !absorbing);
  return flat.size() == 1 ? flat[0] : sym_raw(context, op, SymKind::kBool, flat);
}

}  // namespace nfx
