#include "ir/sym_poly.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string_view>

#include "ir/context.h"
#include "ir/sym_table.h"

namespace nfx {
namespace {

constexpr size_t kMaxExpandedTerms = 16;

template <class T>
int three_way(const T& a, const T& b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

// s2 before s10: shorter names of the same kind first.
int compare_names(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty() || a[0] != b[0] || a.size() == b.size()) return three_way(a, b);
  return three_way(a.size(), b.size());
}

std::span<const SymExprId> factors_of(const Context& context, const SymExprId& monomial) {
  const SymNode& node = sym_node(context, monomial);
  if (node.op == SymOp::kMul && node.kind == SymKind::kInt) return node.operands;
  return {&monomial, 1};
}

SymExprId from_factors(Context& context, std::span<const SymExprId> factors) {
  if (factors.size() == 1) return factors[0];
  return sym_raw(context, SymOp::kMul, SymKind::kInt, factors);
}

SymExprId multiply_monomials(Context& context, SymExprId a, SymExprId b) {
  if (!a) return b;
  if (!b) return a;
  auto left = factors_of(context, a), right = factors_of(context, b);
  std::vector<SymExprId> factors(left.begin(), left.end());
  factors.insert(factors.end(), right.begin(), right.end());
  sym_sort(context, factors);
  return from_factors(context, factors);
}

// Sorts the terms, adds those of the same monomial and drops zeros.
bool collect(const Context& context, std::vector<SymTerm>& terms) {
  std::ranges::stable_sort(terms, [&](const SymTerm& x, const SymTerm& y) {
    return sym_compare(context, x.monomial, y.monomial) < 0;
  });
  size_t kept = 0;
  for (const SymTerm& term : terms) {
    if (kept > 0 && terms[kept - 1].monomial == term.monomial) {
      int64_t& sum = terms[kept - 1].coefficient;
      if (__builtin_add_overflow(sum, term.coefficient, &sum)) return false;
    } else {
      terms[kept++] = term;
    }
    if (terms[kept - 1].coefficient == 0) --kept;
  }
  terms.resize(kept);
  return true;
}

// x//a*a + x%a is x.
bool join_division(Context& context, std::vector<SymTerm>& terms, SymTerm mod,
                   std::vector<SymTerm>& added, int64_t& constant) {
  const SymNode& node = sym_node(context, mod.monomial);
  SymExprId quotient = sym_floordiv(context, node.operands[0], node.operands[1]);
  SymPoly scaled = to_poly(context, sym_mul(context, quotient, node.operands[1]));
  if (scaled.terms.size() != 1 || scaled.constant != 0) return false;
  int64_t coefficient;
  if (__builtin_mul_overflow(scaled.terms[0].coefficient, mod.coefficient, &coefficient)) {
    return false;
  }
  auto partner = std::ranges::find_if(terms, [&](const SymTerm& t) {
    return t.monomial == scaled.terms[0].monomial && t.coefficient == coefficient;
  });
  if (partner == terms.end()) return false;
  auto whole = poly_scale(to_poly(context, node.operands[0]), mod.coefficient);
  int64_t sum;
  if (!whole || __builtin_add_overflow(constant, whole->constant, &sum)) return false;
  constant = sum;
  terms.erase(partner);
  std::erase_if(terms, [&](const SymTerm& t) { return t.monomial == mod.monomial; });
  added.insert(added.end(), whole->terms.begin(), whole->terms.end());
  return true;
}

bool join_divisions(Context& context, SymPoly& poly) {
  std::vector<SymTerm> before = poly.terms, added;
  for (const SymTerm& term : before) {
    if (sym_node(context, term.monomial).op != SymOp::kMod) continue;
    join_division(context, poly.terms, term, added, poly.constant);
  }
  if (added.empty()) return true;
  poly.terms.insert(poly.terms.end(), added.begin(), added.end());
  return collect(context, poly.terms);
}

}  // namespace

int sym_compare(const Context& context, SymExprId a, SymExprId b) {
  if (a == b) return 0;
  const SymNode& x = sym_node(context, a);
  const SymNode& y = sym_node(context, b);
  if (x.op != y.op) return three_way(x.op, y.op);
  if (int c = three_way(x.operands.size(), y.operands.size())) return c;
  for (size_t i = 0; i < x.operands.size(); ++i) {
    if (int c = sym_compare(context, x.operands[i], y.operands[i])) return c;
  }
  if (int c = three_way(x.integer, y.integer)) return c;
  if (int c = compare_names(context.text(x.text), context.text(y.text))) return c;
  if (int c = three_way(std::bit_cast<uint64_t>(x.real), std::bit_cast<uint64_t>(y.real))) return c;
  return three_way(x.kind, y.kind);
}

void sym_sort(const Context& context, std::vector<SymExprId>& ids) {
  std::ranges::sort(ids, [&](SymExprId a, SymExprId b) { return sym_compare(context, a, b) < 0; });
}

SymExprId sym_raw(Context& context, SymOp op, SymKind kind, std::span<const SymExprId> operands) {
  return sym_table(context).intern({.op = op, .kind = kind, .operands = operands});
}

SymPoly to_poly(Context& context, SymExprId id) {
  const SymNode& node = sym_node(context, id);
  SymPoly poly;
  auto append = [&](SymExprId part) {
    const SymNode& n = sym_node(context, part);
    if (n.op == SymOp::kInt) {
      poly.constant = n.integer;
    } else if (n.op == SymOp::kMul && sym_node(context, n.operands[0]).op == SymOp::kInt) {
      SymExprId rest = from_factors(context, n.operands.subspan(1));
      poly.terms.push_back({sym_node(context, n.operands[0]).integer, rest});
    } else {
      poly.terms.push_back({1, part});
    }
  };
  if (node.op == SymOp::kAdd && node.kind == SymKind::kInt) {
    for (SymExprId part : node.operands) append(part);
  } else {
    append(id);
  }
  return poly;
}

SymExprId from_poly(Context& context, const SymPoly& poly) {
  std::vector<SymExprId> parts;
  for (const SymTerm& term : poly.terms) {
    if (term.coefficient == 1) {
      parts.push_back(term.monomial);
      continue;
    }
    std::vector<SymExprId> factors{sym_int(context, term.coefficient)};
    auto rest = factors_of(context, term.monomial);
    factors.insert(factors.end(), rest.begin(), rest.end());
    parts.push_back(from_factors(context, factors));
  }
  if (poly.constant != 0 || parts.empty()) parts.push_back(sym_int(context, poly.constant));
  if (parts.size() == 1) return parts[0];
  return sym_raw(context, SymOp::kAdd, SymKind::kInt, parts);
}

std::optional<SymPoly> poly_add(Context& context, const SymPoly& a, const SymPoly& b) {
  SymPoly sum = a;
  if (__builtin_add_overflow(a.constant, b.constant, &sum.constant)) return std::nullopt;
  if (b.terms.empty()) return sum;
  sum.terms.insert(sum.terms.end(), b.terms.begin(), b.terms.end());
  if (!collect(context, sum.terms) || !join_divisions(context, sum)) return std::nullopt;
  return sum;
}

std::optional<SymPoly> poly_scale(const SymPoly& a, int64_t factor) {
  if (factor == 0) return SymPoly{};
  SymPoly scaled = a;
  if (__builtin_mul_overflow(a.constant, factor, &scaled.constant)) return std::nullopt;
  for (SymTerm& term : scaled.terms) {
    if (__builtin_mul_overflow(term.coefficient, factor, &term.coefficient)) return std::nullopt;
  }
  return scaled;
}

std::optional<SymPoly> poly_mul(Context& context, const SymPoly& a, const SymPoly& b) {
  if (a.terms.empty()) return poly_scale(b, a.constant);
  if (b.terms.empty()) return poly_scale(a, b.constant);
  bool linear = a.terms.size() + (a.constant != 0) == 1 || b.terms.size() + (b.constant != 0) == 1;
  if (!linear && (a.terms.size() + 1) * (b.terms.size() + 1) > kMaxExpandedTerms) {
    SymExprId product = multiply_monomials(context, from_poly(context, a), from_poly(context, b));
    return SymPoly{.terms = {{1, product}}};
  }
  SymPoly product;
  if (__builtin_mul_overflow(a.constant, b.constant, &product.constant)) return std::nullopt;
  auto multiply = [&](SymTerm x, SymTerm y) {
    SymTerm term{0, multiply_monomials(context, x.monomial, y.monomial)};
    bool fits = !__builtin_mul_overflow(x.coefficient, y.coefficient, &term.coefficient);
    if (term.coefficient != 0) product.terms.push_back(term);
    return fits;
  };
  for (const SymTerm& x : a.terms) {
    if (!multiply(x, {b.constant, {}})) return std::nullopt;
    for (const SymTerm& y : b.terms) {
      if (!multiply(x, y)) return std::nullopt;
    }
  }
  for (const SymTerm& y : b.terms) {
    if (!multiply({a.constant, {}}, y)) return std::nullopt;
  }
  if (!collect(context, product.terms) || !join_divisions(context, product)) return std::nullopt;
  return product;
}

std::optional<SymTerm> divide_term(Context& context, SymTerm a, SymTerm b) {
  if (b.coefficient == 0 || (b.coefficient == -1 && a.coefficient == INT64_MIN)) {
    return std::nullopt;
  }
  if (a.coefficient % b.coefficient != 0) return std::nullopt;
  SymTerm quotient{a.coefficient / b.coefficient, a.monomial};
  if (!b.monomial) return quotient;
  if (!a.monomial) return std::nullopt;
  auto from = factors_of(context, a.monomial);
  std::vector<SymExprId> left(from.begin(), from.end());
  for (SymExprId factor : factors_of(context, b.monomial)) {
    auto found = std::ranges::find(left, factor);
    if (found == left.end()) return std::nullopt;
    left.erase(found);
  }
  quotient.monomial = left.empty() ? SymExprId{} : from_factors(context, left);
  return quotient;
}

int64_t poly_content(const SymPoly& poly) {
  uint64_t content = 0;
  auto join = [&](int64_t v) {
    content = std::gcd(content, v < 0 ? 0 - static_cast<uint64_t>(v) : static_cast<uint64_t>(v));
  };
  join(poly.constant);
  for (const SymTerm& term : poly.terms) join(term.coefficient);
  return content > static_cast<uint64_t>(INT64_MAX) ? 1 : static_cast<int64_t>(content);
}

}  // namespace nfx
