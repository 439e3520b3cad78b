// Symbolic integers, floats and booleans: sizes, strides and what is computed
// from them. An expression is interned in its Context and simplified when it is
// made, with the ranges of its symbols; equal expressions have equal ids.
// Division and remainder are Python's. What is not understood stays whole, as
// kOpaque with its source text.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ir/ids.h"

namespace nfx {

class Context;

enum class SymOp : uint8_t {
  kInt,
  kFloat,
  kBool,
  kSymbol,
  kAdd,
  kMul,  // any number of operands, sorted
  kPow,
  kFloorDiv,
  kCeilDiv,
  kMod,  // Python's // and %; kMod covers Mod and PythonMod
  kMax,
  kMin,  // any number of operands, sorted
  kIntTrueDiv,
  kFloatTrueDiv,
  kFloatPow,
  kToFloat,
  kTruncToInt,
  kRoundToInt,
  kFloor,
  kCeil,
  kSqrt,
  kEq,
  kNe,
  kLt,
  kLe,
  kAnd,
  kOr,
  kNot,
  kWhere,
  kOpaque,  // text that we keep but do not interpret
};

enum class SymKind : uint8_t { kInt, kFloat, kBool };
enum class Truth : uint8_t { kNo, kYes, kUnknown };

struct SymRange {
  int64_t lower = INT64_MIN;  // INT64_MIN and INT64_MAX stand for the infinities
  int64_t upper = INT64_MAX;
  friend bool operator==(const SymRange&, const SymRange&) = default;
};

struct SymNode {
  SymOp op = SymOp::kInt;
  SymKind kind = SymKind::kInt;
  int64_t integer = 0;  // kInt, kBool
  double real = 0;      // kFloat
  StringId text;        // kSymbol: name; kOpaque: source text
  std::span<const SymExprId> operands;
};

// What is known of a symbol; one entry per name and Context.
struct Symbol {
  StringId name;
  SymKind kind = SymKind::kInt;
  SymRange range;
  std::optional<int64_t> hint;  // example value, never a fact
};

// The functions below take and give ids of one Context.
SymExprId sym_int(Context&, int64_t value);
SymExprId sym_float(Context&, double value);
SymExprId sym_bool(Context&, bool value);
SymExprId sym_symbol(Context&, std::string_view name, SymKind kind = SymKind::kInt);
void set_symbol_range(Context&, SymExprId symbol, SymRange range);
void set_symbol_hint(Context&, SymExprId symbol, int64_t hint);
Symbol symbol_facts(const Context&, SymExprId symbol);

// Builds and simplifies. Subtraction and division are written with kAdd, kMul
// and kFloorDiv: a - b is a + (-1)*b.
SymExprId sym(Context&, SymOp op, std::span<const SymExprId> operands);
SymExprId sym_add(Context&, SymExprId a, SymExprId b);
SymExprId sym_sub(Context&, SymExprId a, SymExprId b);
SymExprId sym_mul(Context&, SymExprId a, SymExprId b);
SymExprId sym_floordiv(Context&, SymExprId a, SymExprId b);
SymExprId sym_mod(Context&, SymExprId a, SymExprId b);

const SymNode& sym_node(const Context&, SymExprId id);
std::optional<int64_t> as_int(const Context&, SymExprId id);  // the value of a constant
SymRange range_of(const Context&, SymExprId id);
Truth compare(Context&, SymOp relation, SymExprId a, SymExprId b);  // kEq .. kLe
inline bool known_equal(Context& c, SymExprId a, SymExprId b) {
  return a == b || compare(c, SymOp::kEq, a, b) == Truth::kYes;
}
std::optional<int64_t> evaluate_hint(const Context&, SymExprId id);

// As Python spells it: `2*s0 + 1`, `s0//4`, `Max(1, s1)`; parse_sym reads that
// and sympy's functions (FloorDiv, Mod, PythonMod, Max, Min, Where, ...).
std::string print_sym(const Context&, SymExprId id);
SymExprId parse_sym(Context&, std::string_view text);  // never fails: unknown text becomes kOpaque

}  // namespace nfx
