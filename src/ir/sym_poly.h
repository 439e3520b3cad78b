// Sums of products with integer coefficients: the form in which symbolic
// integers are added, multiplied and divided. Operations give nothing where a
// coefficient would overflow; the caller then keeps its operands as they are.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ir/sym_expr.h"

namespace nfx {

// coefficient * monomial. A monomial is a product without integer factor, or a
// single expression that is neither a sum nor a constant.
struct SymTerm {
  int64_t coefficient = 0;
  SymExprId monomial;
};

struct SymPoly {
  std::vector<SymTerm> terms;  // sorted by sym_compare, coefficients not zero
  int64_t constant = 0;
};

// An order that depends on what the expressions say and on nothing else.
int sym_compare(const Context& context, SymExprId a, SymExprId b);
void sym_sort(const Context& context, std::vector<SymExprId>& ids);

// Interns the node as given, without simplifying.
SymExprId sym_raw(Context& context, SymOp op, SymKind kind, std::span<const SymExprId> operands);

SymPoly to_poly(Context& context, SymExprId id);
SymExprId from_poly(Context& context, const SymPoly& poly);

std::optional<SymPoly> poly_add(Context& context, const SymPoly& a, const SymPoly& b);
std::optional<SymPoly> poly_scale(const SymPoly& a, int64_t factor);
// Multiplies out while the result is small; a larger product stays a product.
std::optional<SymPoly> poly_mul(Context& context, const SymPoly& a, const SymPoly& b);

// a / b where it is exact and b is one term or constant (not zero).
std::optional<SymTerm> divide_term(Context& context, SymTerm a, SymTerm b);

// Greatest common divisor of all coefficients, the constant included; 0 for 0.
int64_t poly_content(const SymPoly& poly);

}  // namespace nfx
