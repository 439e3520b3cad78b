// Reads symbolic expressions as Python and sympy write them.
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>
#include <vector>

#include "ir/context.h"
#include "ir/sym_expr.h"
#include "ir/sym_names.h"
#include "ir/sym_table.h"

namespace nfx {
namespace {

using Parsed = std::optional<SymExprId>;

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

SymExprId opaque(Context& context, std::string_view text, SymKind kind) {
  return sym_table(context).intern(
      {.op = SymOp::kOpaque, .kind = kind, .text = context.intern(text)});
}

// One method a level of Python's precedence; nothing where the text is not understood.
class SymParser {
 public:
  SymParser(Context& context, std::string_view text) : context_(context), text_(text) {}

  Parsed parse() {
    Parsed result = disjunction();
    skip_spaces();
    return position_ == text_.size() ? result : std::nullopt;
  }

 private:
  static constexpr int kMaxDepth = 200;

  void skip_spaces() {
    while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_]))) {
      ++position_;
    }
  }
  char peek(size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }
  // Takes `sign` if it is next and is not the beginning of a longer operator.
  bool take(std::string_view sign, std::string_view not_before = {}) {
    skip_spaces();
    if (text_.substr(position_, sign.size()) != sign) return false;
    char after = peek(sign.size());
    if (after != '\0' && not_before.find(after) != std::string_view::npos) return false;
    if (starts_name(sign[0]) && continues_name(after)) return false;
    position_ += sign.size();
    return true;
  }

  Parsed binary(SymOp op, Parsed a, Parsed b) {
    if (!a || !b) return std::nullopt;
    return sym(context_, op, std::array{*a, *b});
  }
  Parsed negated(Parsed a) {
    if (!a) return a;
    return sym_mul(context_, sym_int(context_, -1), *a);
  }
  Parsed inverted(Parsed a) {
    if (!a) return a;
    return sym(context_, SymOp::kNot, std::span(&*a, 1));
  }

  Parsed disjunction() {
    if (++depth_ > kMaxDepth) return std::nullopt;
    Parsed left = conjunction();
    while (left && take("or")) left = binary(SymOp::kOr, left, conjunction());
    --depth_;
    return left;
  }
  Parsed conjunction() {
    Parsed left = negation();
    while (left && take("and")) left = binary(SymOp::kAnd, left, negation());
    return left;
  }
  Parsed negation() {
    if (!take("not")) return comparison();
    if (++depth_ > kMaxDepth) return std::nullopt;
    Parsed inner = inverted(negation());
    --depth_;
    return inner;
  }

  // a < b <= c is a < b and b <= c.
  Parsed comparison() {
    Parsed left = bit_or(), all;
    while (left) {
      SymOp op;
      bool swap = false;
      if (take("=="))
        op = SymOp::kEq;
      else if (take("!="))
        op = SymOp::kNe;
      else if (take("<="))
        op = SymOp::kLe;
      else if (take(">="))
        op = SymOp::kLe, swap = true;
      else if (take("<", "<"))
        op = SymOp::kLt;
      else if (take(">", ">"))
        op = SymOp::kLt, swap = true;
      else
        return all ? all : left;
      Parsed right = bit_or();
      Parsed one = swap ? binary(op, right, left) : binary(op, left, right);
      all = all ? binary(SymOp::kAnd, all, one) : one;
      left = right && all ? right : std::nullopt;
    }
    return std::nullopt;
  }
  Parsed bit_or() {
    Parsed left = bit_and();
    while (left && take("|")) left = logical(SymOp::kOr, left, bit_and());
    return left;
  }
  Parsed bit_and() {
    Parsed left = sum();
    while (left && take("&")) left = logical(SymOp::kAnd, left, sum());
    return left;
  }
  // & and | of integers work on bits, which we do not interpret.
  Parsed logical(SymOp op, Parsed a, Parsed b) {
    if (!a || !b || sym_node(context_, *a).kind != SymKind::kBool ||
        sym_node(context_, *b).kind != SymKind::kBool) {
      return std::nullopt;
    }
    return binary(op, a, b);
  }
  Parsed sum() {
    Parsed left = product();
    while (left) {
      if (take("+"))
        left = binary(SymOp::kAdd, left, product());
      else if (take("-"))
        left = binary(SymOp::kAdd, left, negated(product()));
      else
        break;
    }
    return left;
  }
  Parsed product() {
    Parsed left = unary();
    while (left) {
      if (take("*", "*"))
        left = binary(SymOp::kMul, left, unary());
      else if (take("//"))
        left = binary(SymOp::kFloorDiv, left, unary());
      else if (take("%"))
        left = binary(SymOp::kMod, left, unary());
      else if (take("/"))
        left = true_division(left, unary());
      else
        break;
    }
    return left;
  }
  // sympy's a/b of integers is a fraction, which is none of our kinds.
  Parsed true_division(Parsed a, Parsed b) {
    if (!a || !b) return std::nullopt;
    bool real = sym_node(context_, *a).kind == SymKind::kFloat ||
                sym_node(context_, *b).kind == SymKind::kFloat;
    return real ? binary(SymOp::kFloatTrueDiv, a, b) : std::nullopt;
  }
  Parsed unary() {
    if (++depth_ > kMaxDepth) return std::nullopt;
    Parsed result;
    if (take("-")) {
      skip_spaces();
      negative_ = is_digit(peek()) || peek() == '.';
      bool literal = negative_;
      result = unary();
      if (!literal) result = negated(result);
    } else if (take("+")) {
      result = unary();
    } else if (take("~")) {
      result = inverted(unary());
    } else {
      result = power();
    }
    --depth_;
    return result;
  }
  // -2**2 is -(2**2): the sign of a literal waits for what follows.
  Parsed power() {
    bool negative = std::exchange(negative_, false);
    Parsed base = atom(negative);
    if (!base || !take("**")) return base;
    if (negative) base = negated(base);
    Parsed raised = binary(SymOp::kPow, base, unary());
    return negative ? negated(raised) : raised;
  }

  Parsed atom(bool negative) {
    skip_spaces();
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return number(negative);
    if (take("(")) {
      Parsed inner = disjunction();
      return inner && take(")") ? inner : std::nullopt;
    }
    return starts_name(peek()) ? name() : std::nullopt;
  }

  Parsed number(bool negative) {
    size_t start = position_;
    bool real = false;
    while (true) {
      char c = peek();
      bool exponent_sign =
          (c == '+' || c == '-') && (text_[position_ - (position_ > start)] | 32) == 'e';
      if (!is_digit(c) && c != '.' && (c | 32) != 'e' && !exponent_sign) break;
      real |= !is_digit(c);
      ++position_;
    }
    std::string literal(negative ? "-" : "");
    literal += text_.substr(start, position_ - start);
    const char* end = literal.data() + literal.size();
    if (real) {
      double value = 0;
      auto [stop, error] = std::from_chars(literal.data(), end, value);
      if (error != std::errc{} || stop != end) return std::nullopt;
      return sym_float(context_, value);
    }
    int64_t value = 0;
    if (std::from_chars(literal.data(), end, value).ec != std::errc{}) return std::nullopt;
    return sym_int(context_, value);
  }

  Parsed name() {
    size_t start = position_;
    while (continues_name(peek())) ++position_;
    std::string_view word = text_.substr(start, position_ - start);
    skip_spaces();
    if (peek() == '(') return call(word, start);
    if (peek() == '.' || peek() == '[') return std::nullopt;
    if (word == "True" || word == "true") return sym_bool(context_, true);
    if (word == "False" || word == "false") return sym_bool(context_, false);
    if (word == "inf" || word == "oo") {
      return sym_float(context_, std::numeric_limits<double>::infinity());
    }
    if (word == "nan") return sym_float(context_, std::numeric_limits<double>::quiet_NaN());
    bool real = word.starts_with("zf") || word.starts_with("zuf");
    return sym_symbol(context_, word, real ? SymKind::kFloat : SymKind::kInt);
  }

  Parsed call(std::string_view word, size_t start) {
    size_t open = position_;
    int depth = depth_;
    if (const SymFunction* function = find(word)) {
      auto arguments = arguments_of();
      if (arguments && (function->arity == 0 || arguments->size() == function->arity)) {
        if (function->swap) std::swap((*arguments)[0], (*arguments)[1]);
        return sym(context_, function->op, *arguments);
      }
    }
    // Kept whole: the text up to the closing parenthesis.
    position_ = open;
    depth_ = depth;
    if (!skip_parentheses()) return std::nullopt;
    bool real = word.starts_with("OpaqueUnaryFn") || word == "log" || word == "exp";
    return opaque(context_, text_.substr(start, position_ - start),
                  real ? SymKind::kFloat : SymKind::kInt);
  }

  static const SymFunction* find(std::string_view word) {
    for (const SymFunction& function : kSymFunctions) {
      if (function.name == word) return &function;
    }
    return nullptr;
  }

  std::optional<std::vector<SymExprId>> arguments_of() {
    std::vector<SymExprId> arguments;
    if (!take("(")) return std::nullopt;
    do {
      Parsed argument = disjunction();
      if (!argument) return std::nullopt;
      arguments.push_back(*argument);
    } while (take(","));
    if (!take(")")) return std::nullopt;
    return arguments;
  }

  bool skip_parentheses() {
    int open = 0;
    for (; position_ < text_.size(); ++position_) {
      if (text_[position_] == '(') ++open;
      if (text_[position_] == ')' && --open == 0) return ++position_, true;
    }
    return false;
  }

  Context& context_;
  std::string_view text_;
  size_t position_ = 0;
  int depth_ = 0;
  bool negative_ = false;  // the literal that follows has a minus sign
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

SymExprId parse_sym(Context& context, std::string_view text) {
  text = trimmed(text);
  if (Parsed parsed = SymParser(context, text).parse()) return *parsed;
  return opaque(context, text, SymKind::kInt);
}

}  // namespace nfx
