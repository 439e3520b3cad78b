// Patterns are written as the expressions that they match:
//
//   const Var x("x");
//   neg(neg(x))          x * 1          clamp(clamp(x, k, m), k, m)
//
// A variable stands for any value, and twice for the same value; a Number stands
// for any constant number argument. A literal matches a number argument, or a
// tensor that holds this number everywhere, to the bit: 0 is not -0.0. An op that
// is commutative matches its first two arguments in either order. Arguments that
// a pattern does not name must have their defaults.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/ids.h"

namespace nfx {

class Match;

// Gives an argument that the right side needs and the left does not have, from
// what was matched; nothing if the rule does not apply after all.
using ComputedArgument = std::function<std::optional<ArgId>(const Match&)>;

enum class PatternKind : uint8_t {
  kValue,     // any node
  kNumber,    // any int, float or bool argument
  kLiteral,   // one number
  kRest,      // any further arguments; last child of a call
  kComputed,  // right side only
  kCall,
};

struct PatternOp;

struct Pattern {
  PatternKind kind = PatternKind::kLiteral;
  std::string_view name;          // of a variable, of what is computed
  const PatternOp* op = nullptr;  // kCall
  double literal = 0;             // kLiteral
  bool is_integer = true;         // kLiteral: spelled without a point
  ComputedArgument compute;
  std::vector<Pattern> children;

  Pattern() = default;
  Pattern(int number) : literal(number) {}
  Pattern(double number) : literal(number), is_integer(false) {}

  std::string str() const;  // "neg(neg(x))"
};

// Variables. They compare by name within one rule.
struct Var : Pattern {
  explicit Var(std::string_view text) { kind = PatternKind::kValue, name = text; }
};
struct Number : Pattern {
  explicit Number(std::string_view text) { kind = PatternKind::kNumber, name = text; }
};
struct Rest : Pattern {
  Rest() { kind = PatternKind::kRest, name = "..."; }
};

Pattern computed(std::string_view text, ComputedArgument compute);

// An op as patterns name it: the overloads that take the same arguments in the
// same places. The left side matches any of them; the right side is built with
// the first one whose operands fit (a tensor, or a number, in each place).
struct PatternOp {
  std::string_view word;
  std::vector<std::string_view> targets;

  template <class... Children>
  Pattern operator()(Children... children) const {
    Pattern pattern;
    pattern.kind = PatternKind::kCall;
    pattern.op = this;
    pattern.children = {Pattern(children)...};
    return pattern;
  }
};

}  // namespace nfx
