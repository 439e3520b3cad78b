// Comparisons: what is known of them, and the form in which they are kept.
#include <algorithm>
#include <array>

#include "ir/sym_poly.h"
#include "ir/sym_range.h"
#include "ir/sym_simplify.h"

namespace nfx {
namespace {

bool is_int(const Context& context, SymExprId id) {
  return sym_node(context, id).kind != SymKind::kFloat;
}

SymRange poly_range(const Context& context, const SymPoly& poly) {
  SymRange sum{poly.constant, poly.constant};
  for (const SymTerm& term : poly.terms) {
    SymRange coefficient{term.coefficient, term.coefficient};
    sum = range_add(sum, range_mul(coefficient, range_of(context, term.monomial)));
  }
  return sum;
}

std::optional<SymPoly> difference(Context& context, SymExprId a, SymExprId b) {
  auto minus = poly_scale(to_poly(context, b), -1);
  return minus ? poly_add(context, to_poly(context, a), *minus) : std::nullopt;
}

// The integer divisor common to the terms does not divide the constant.
bool never_zero(const SymPoly& poly) {
  SymPoly terms{.terms = poly.terms};
  int64_t content = poly_content(terms);
  return content > 1 && poly.constant % content != 0;
}

Truth decide(SymOp relation, SymRange d) {
  bool negative = d.upper < 0, positive = d.lower > 0, zero = d.lower == 0 && d.upper == 0;
  auto truth = [](bool yes, bool no) {
    return yes ? Truth::kYes : (no ? Truth::kNo : Truth::kUnknown);
  };
  switch (relation) {
    case SymOp::kEq: return truth(zero, negative || positive);
    case SymOp::kNe: return truth(negative || positive, zero);
    case SymOp::kLt: return truth(negative, d.lower >= 0);
    default: return truth(d.upper <= 0, positive);
  }
}

// `id` is one of several of which the chosen one is at least (most) as large.
template <class Holds>
bool any_operand(Context& context, SymOp op, SymExprId id, Holds holds) {
  const SymNode& node = sym_node(context, id);
  return node.op == op && node.kind == SymKind::kInt && std::ranges::any_of(node.operands, holds);
}

Truth compare_extrema(Context& context, SymOp relation, SymExprId a, SymExprId b) {
  if (relation != SymOp::kLt && relation != SymOp::kLe) return Truth::kUnknown;
  bool yes =
      any_operand(context, SymOp::kMax, b,
                  [&](SymExprId x) { return compare(context, relation, a, x) == Truth::kYes; }) ||
      any_operand(context, SymOp::kMin, a,
                  [&](SymExprId x) { return compare(context, relation, x, b) == Truth::kYes; });
  return yes ? Truth::kYes : Truth::kUnknown;
}

// Common parts cancelled, every coefficient positive: 2*s0 - s1 < 3 is 2*s0 < s1 + 3.
struct Sides {
  SymPoly left, right;
};

std::optional<Sides> to_sides(SymPoly d, bool symmetric) {
  int64_t content = std::max<int64_t>(poly_content(d), 1);
  bool negate = symmetric && !d.terms.empty() && d.terms[0].coefficient < 0;
  auto scaled = poly_scale(d, negate ? -1 : 1);
  if (!scaled) return std::nullopt;
  Sides sides;
  for (const SymTerm& term : scaled->terms) {
    if (term.coefficient == INT64_MIN) return std::nullopt;
    bool left = term.coefficient > 0;
    (left ? sides.left : sides.right)
        .terms.push_back({(left ? term.coefficient : -term.coefficient) / content, term.monomial});
  }
  if (scaled->constant == INT64_MIN) return std::nullopt;
  if (sides.left.terms.empty()) {
    sides.left.constant = scaled->constant / content;
  } else {
    sides.right.constant = -scaled->constant / content;
  }
  return sides;
}

}  // namespace

Truth compare(Context& context, SymOp relation, SymExprId a, SymExprId b) {
  if (!is_int(context, a) || !is_int(context, b)) return Truth::kUnknown;
  auto d = difference(context, a, b);
  if (!d) {
    SymRange right = range_of(context, b);
    SymRange minus_one{-1, -1};
    return decide(relation, range_add(range_of(context, a), range_mul(minus_one, right)));
  }
  Truth truth = decide(relation, poly_range(context, *d));
  if (truth != Truth::kUnknown) return truth;
  if (relation == SymOp::kEq && never_zero(*d)) return Truth::kNo;
  if (relation == SymOp::kNe && never_zero(*d)) return Truth::kYes;
  return compare_extrema(context, relation, a, b);
}

SymExprId simplify_relation(Context& context, SymOp op, SymExprId a, SymExprId b) {
  Truth truth = compare(context, op, a, b);
  if (truth != Truth::kUnknown) return sym_bool(context, truth == Truth::kYes);
  bool arithmetic =
      sym_node(context, a).kind == SymKind::kInt && sym_node(context, b).kind == SymKind::kInt;
  auto d = arithmetic ? difference(context, a, b) : std::nullopt;
  auto sides = d ? to_sides(std::move(*d), op == SymOp::kEq || op == SymOp::kNe) : std::nullopt;
  if (!sides) return sym_raw(context, op, SymKind::kBool, std::array{a, b});
  return sym_raw(context, op, SymKind::kBool,
                 std::array{from_poly(context, sides->left), from_poly(context, sides->right)});
}

SymExprId simplify_not(Context& context, SymExprId a) {
  const SymNode& node = sym_node(context, a);
  auto rebuilt = [&](SymOp op, size_t left, size_t right) {
    return sym_raw(context, op, SymKind::kBool,
                   std::array{node.operands[left], node.operands[right]});
  };
  bool ints = node.operands.size() == 2 && is_int(context, node.operands[0]) &&
              is_int(context, node.operands[1]);
  switch (node.op) {
    case SymOp::kBool: return sym_bool(context, node.integer == 0);
    case SymOp::kNot: return node.operands[0];
    case SymOp::kEq: return rebuilt(SymOp::kNe, 0, 1);
    case SymOp::kNe: return rebuilt(SymOp::kEq, 0, 1);
    case SymOp::kLt:
      if (ints) return rebuilt(SymOp::kLe, 1, 0);
      break;
    case SymOp::kLe:
      if (ints) return rebuilt(SymOp::kLt, 1, 0);
      break;
    default: break;
  }
  return sym_raw(context, SymOp::kNot, SymKind::kBool, std::array{a});
}

SymExprId simplify_where(Context& context, SymExprId condition, SymExprId a, SymExprId b) {
  if (a == b) return a;
  const SymNode& node = sym_node(context, condition);
  if (node.op == SymOp::kBool) return node.integer != 0 ? a : b;
  SymKind kind = sym_node(context, a).kind;
  if (sym_node(context, b).kind == SymKind::kFloat) kind = SymKind::kFloat;
  return sym_raw(context, SymOp::kWhere, kind, std::array{condition, a, b});
}

}  // namespace nfx
