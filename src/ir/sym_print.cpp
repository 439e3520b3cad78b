// The text of symbolic expressions, as Python spells it.
#include <charconv>
#include <cmath>

#include "ir/context.h"
#include "ir/sym_expr.h"
#include "ir/sym_names.h"

namespace nfx {
namespace {

// How tightly Python binds.
enum Level { kRelation = 1, kOrLevel, kAndLevel, kSum, kProduct, kUnary, kPower, kAtom };

Level level_of(const SymNode& node) {
  switch (node.op) {
    case SymOp::kInt: return node.integer < 0 ? kUnary : kAtom;
    case SymOp::kFloat: return std::signbit(node.real) ? kUnary : kAtom;
    case SymOp::kEq:
    case SymOp::kNe:
    case SymOp::kLt:
    case SymOp::kLe: return kRelation;
    case SymOp::kOr: return kOrLevel;
    case SymOp::kAnd: return kAndLevel;
    case SymOp::kAdd: return kSum;
    case SymOp::kMul:
    case SymOp::kFloorDiv:
    case SymOp::kMod: return kProduct;
    case SymOp::kNot: return kUnary;
    case SymOp::kPow: return kPower;
    default: return kAtom;
  }
}

std::string float_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[40];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

class SymPrinter {
 public:
  explicit SymPrinter(const Context& context) : context_(context) {}

  std::string print(SymExprId id) {
    const SymNode& node = sym_node(context_, id);
    switch (node.op) {
      case SymOp::kInt: return std::to_string(node.integer);
      case SymOp::kBool: return node.integer != 0 ? "True" : "False";
      case SymOp::kFloat: return float_text(node.real);
      case SymOp::kSymbol:
      case SymOp::kOpaque: return std::string(context_.text(node.text));
      case SymOp::kAdd: return sum(node);
      case SymOp::kMul: return product(node);
      case SymOp::kEq: return infix(node, " == ", kOrLevel, kOrLevel);
      case SymOp::kNe: return infix(node, " != ", kOrLevel, kOrLevel);
      case SymOp::kLt: return infix(node, " < ", kOrLevel, kOrLevel);
      case SymOp::kLe: return infix(node, " <= ", kOrLevel, kOrLevel);
      case SymOp::kOr: return infix(node, " | ", kAndLevel, kAndLevel);
      case SymOp::kAnd: return infix(node, " & ", kSum, kSum);
      case SymOp::kNot: return "~" + at(node.operands[0], kUnary);
      case SymOp::kFloorDiv: return infix(node, "//", kPower, kPower);
      case SymOp::kMod: return infix(node, "%", kPower, kPower);
      case SymOp::kPow: return infix(node, "**", kAtom, kAtom);
      default: return call(node);
    }
  }

 private:
  std::string at(SymExprId id, Level level) {
    bool bare = level_of(sym_node(context_, id)) >= level;
    return bare ? print(id) : "(" + print(id) + ")";
  }

  std::string infix(const SymNode& node, std::string_view sign, Level first, Level rest) {
    std::string text;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      if (i != 0) text += sign;
      text += at(node.operands[i], i == 0 ? first : rest);
    }
    return text;
  }

  std::string sum(const SymNode& node) {
    if (node.kind == SymKind::kFloat) return infix(node, " + ", kSum, kProduct);
    std::string text = at(node.operands[0], kProduct);
    for (SymExprId id : node.operands.subspan(1)) {
      std::string term = at(id, kProduct);
      bool negative = term[0] == '-';
      text += (negative ? " - " : " + ") + (negative ? term.substr(1) : term);
    }
    return text;
  }

  // x*x*x is written x**3, and a coefficient of -1 as a sign.
  std::string product(const SymNode& node) {
    if (node.kind == SymKind::kFloat) return infix(node, "*", kProduct, kUnary);
    std::string text;
    size_t i = 0;
    const SymNode& first = sym_node(context_, node.operands[0]);
    if (first.op == SymOp::kInt) {
      text = first.integer == -1 ? "-" : std::to_string(first.integer) + "*";
      i = 1;
    }
    while (i < node.operands.size()) {
      size_t count = 1;
      while (i + count < node.operands.size() && node.operands[i + count] == node.operands[i]) {
        ++count;
      }
      std::string factor = at(node.operands[i], count > 1 ? kAtom : kPower);
      text += count > 1 ? factor + "**" + std::to_string(count) : factor;
      i += count;
      if (i < node.operands.size()) text += "*";
    }
    return text;
  }

  std::string call(const SymNode& node) {
    std::string text = std::string(sym_function_name(node.op)) + "(";
    for (size_t i = 0; i < node.operands.size(); ++i) {
      if (i != 0) text += ", ";
      text += print(node.operands[i]);
    }
    return text + ")";
  }

  const Context& context_;
};

}  // namespace

std::string print_sym(const Context& context, SymExprId id) {
  return SymPrinter(context).print(id);
}

}  // namespace nfx
