#include "loop/parse_expr.h"

#include <bit>
#include <charconv>
#include <limits>

#include "loop/names.h"
#include "loop/parse_diagnostics.h"

namespace nfx {
namespace {

constexpr int kMaxDepth = 200;

struct DepthGuard {
  explicit DepthGuard(int& counter) : depth(counter) { ++depth; }
  ~DepthGuard() { --depth; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;
  int& depth;
};

template <class T>
bool read_all(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// Whether the digits are an integer of the dtype, which wraps to `bits`.
bool read_integer(std::string_view digits, bool negative, Dtype dtype, int64_t& bits) {
  uint64_t magnitude = 0;
  if (!read_all(digits, magnitude)) return false;
  const int width = dtype_size(dtype) * 8;
  const uint64_t all = ~uint64_t{0} >> (64 - width);
  const uint64_t most = is_signed(dtype) ? (all >> 1) + negative : (negative ? 0 : all);
  bits = static_cast<int64_t>(negative ? -magnitude : magnitude);
  return magnitude <= most;
}

}  // namespace

bool ExprParser::take(std::string_view text) {
  if (!is(text)) return false;
  advance();
  return true;
}

Status ExprParser::expect(std::string_view text) {
  return take(text) ? success() : unexpected("`" + std::string(text) + "`");
}

Diagnostic ExprParser::unexpected(std::string expected) const {
  const bool at_end = token().kind == Token::Kind::kEnd;
  const std::string found = at_end ? "end of text" : std::string(token().text);
  return diagnose(LoopSyntax{std::move(expected), found}, place_of(token()));
}

Result<std::string_view> ExprParser::word(std::string expected) {
  if (token().kind != Token::Kind::kWord) return unexpected(std::move(expected));
  const std::string_view text = token().text;
  advance();
  return text;
}

Result<int64_t> ExprParser::number_after(std::string_view prefix, std::string expected) {
  const int64_t number = token().kind == Token::Kind::kWord ? numbered(token().text, prefix) : -1;
  if (number < 0) return unexpected(std::move(expected));
  advance();
  return number;
}

Result<int64_t> ExprParser::integer() {
  if (token().kind != Token::Kind::kNumber) return unexpected("an integer");
  const Token digits = token();
  advance();
  int64_t value = 0;
  if (read_integer(digits.text, false, Dtype::kInt64, value)) return value;
  return diagnose(LoopBadNumber{std::string(digits.text), "int64"}, place_of(digits));
}

Result<Dtype> ExprParser::dtype() {
  const auto found = dtype_from_name(token().text);
  if (!found) return unexpected("a dtype");
  advance();
  return *found;
}

Result<ExprId> ExprParser::expression() { return sum(); }

Result<std::vector<ExprId>> ExprParser::expressions() {
  std::vector<ExprId> list;
  do {
    NFX_ASSIGN(const ExprId next, expression());
    list.push_back(next);
  } while (take(","));
  return list;
}

// Types are the verifier's business: the first operand gives the dtype.
ExprId ExprParser::binary(ExprOp op, ExprId x, ExprId y) {
  const Dtype dtype = is_predicate(op) ? Dtype::kBool : kernel_.exprs[x].dtype;
  return kernel_.exprs.add({op, dtype, {x, y, kNoExpr}});
}

Result<ExprId> ExprParser::sum() {
  NFX_ASSIGN(ExprId left, product());
  while (is("+") || is("-")) {
    const ExprOp op = is("+") ? ExprOp::kAdd : ExprOp::kSub;
    advance();
    NFX_ASSIGN(const ExprId right, product());
    left = binary(op, left, right);
  }
  return left;
}

Result<ExprId> ExprParser::product() {
  NFX_ASSIGN(ExprId left, primary());
  while (is("*") || is("/")) {
    const ExprOp op = is("*") ? ExprOp::kMul : ExprOp::kDiv;
    advance();
    NFX_ASSIGN(const ExprId right, primary());
    left = binary(op, left, right);
  }
  return left;
}

Result<ExprId> ExprParser::primary() {
  const DepthGuard guard(depth_);
  if (depth_ > kMaxDepth) return diagnose(LoopTooDeep{kMaxDepth}, place_of(token()));
  if (take("(")) {
    NFX_ASSIGN(const ExprId inner, expression());
    NFX_TRY(expect(")"));
    return inner;
  }
  const bool negative = take("-");
  if (token().kind == Token::Kind::kNumber) return constant(negative);
  if (is("inf") || is("nan")) return special_float(negative);
  if (negative) return unexpected("a number");
  return name();
}

Result<ExprId> ExprParser::name() {
  const Token at = token();
  NFX_ASSIGN(const std::string_view name, word("an expression"));
  if (name == "true") return kernel_.exprs.constant(Dtype::kBool, int64_t{1});
  if (name == "false") return kernel_.exprs.constant(Dtype::kBool, int64_t{0});
  if (name == "load") return load();
  if (is("(")) return call(name, at);
  if (const auto found = lets.find(name); found != lets.end()) return found->second;
  if (const auto found = dims.find(name); found != dims.end()) {
    return kernel_.exprs.leaf(ExprOp::kIndex, Dtype::kInt64, found->second);
  }
  return numbered_name(name, at);
}

Result<ExprId> ExprParser::numbered_name(std::string_view name, const Token& at) {
  if (const int64_t scalar = numbered(name, "s"); scalar >= 0) {
    const auto index = static_cast<size_t>(scalar);
    if (index < kernel_.scalars.size()) {
      return kernel_.exprs.leaf(ExprOp::kScalar, kernel_.scalars[index], index);
    }
  }
  if (const int64_t component = numbered(name, "state"); component >= 0) {
    return state_leaf(ExprOp::kState, component, at);
  }
  if (const int64_t component = numbered(name, "other"); component >= 0) {
    return state_leaf(ExprOp::kOther, component, at);
  }
  if (name[0] == 'r') return reduced(name, at);
  return diagnose(LoopUnknownName{std::string(name)}, place_of(at));
}

Result<ExprId> ExprParser::state_leaf(ExprOp op, int64_t component, const Token& at) {
  const auto index = static_cast<size_t>(component);
  if (state == nullptr || index >= state->size()) {
    return diagnose(LoopUnknownName{std::string(at.text)}, place_of(at));
  }
  return kernel_.exprs.leaf(op, kernel_.exprs[(*state)[index]].dtype, index);
}

// `r2`, or `r2.1` for another than the first component.
Result<ExprId> ExprParser::reduced(std::string_view name, const Token& at) {
  const size_t dot = name.find('.');
  const int64_t number = numbered(name.substr(0, dot), "r");
  uint32_t component = 0;
  const bool read = dot == std::string_view::npos || read_all(name.substr(dot + 1), component);
  int64_t left = number;
  for (const Stage& stage : kernel_.stages) {
    const auto count = static_cast<int64_t>(stage.reductions.size());
    if (left >= 0 && left < count && read) {
      const Reduction& reduction = stage.reductions[static_cast<size_t>(left)];
      if (component >= reduction.finish.size()) break;
      const Dtype dtype = kernel_.exprs[reduction.finish[component]].dtype;
      const uint64_t payload = reduced_payload(static_cast<uint32_t>(number), component);
      return kernel_.exprs.leaf(ExprOp::kReduced, dtype, payload);
    }
    left -= count;
  }
  return diagnose(LoopUnknownName{std::string(name)}, place_of(at));
}

Result<ExprId> ExprParser::call(std::string_view name, const Token& at) {
  NFX_TRY(expect("("));
  NFX_ASSIGN(const std::vector<ExprId> operands, expressions());
  NFX_TRY(expect(")"));
  const auto target = dtype_from_name(name);
  const auto op = target ? ExprOp::kCast : expr_op_from_name(name);
  const bool is_known = op && (target || *op > ExprOp::kCast);
  if (!is_known) return diagnose(LoopUnknownName{std::string(name)}, place_of(at));
  if (operands.size() != static_cast<size_t>(arity(*op))) {
    const std::string want =
        std::to_string(arity(*op)) + " operands of `" + std::string(name) + "`";
    return diagnose(LoopSyntax{want, std::to_string(operands.size())}, place_of(at));
  }
  ExprNode node{*op, kernel_.exprs[operands[*op == ExprOp::kSelect ? 1 : 0]].dtype};
  if (target) node.dtype = *target;
  if (is_predicate(*op)) node.dtype = Dtype::kBool;
  for (size_t k = 0; k < operands.size(); ++k) node.operands[k] = operands[k];
  return kernel_.exprs.add(node);
}

Result<ExprId> ExprParser::load() {
  const Token at = token();
  NFX_ASSIGN(const int64_t buffer, number_after("b", "a buffer"));
  const auto index = static_cast<size_t>(buffer);
  if (index >= kernel_.buffers.size()) {
    return diagnose(LoopUnknownName{std::string(at.text)}, place_of(at));
  }
  NFX_TRY(expect("["));
  NFX_ASSIGN(const ExprId offset, expression());
  ExprId guard = kNoExpr;
  if (take("if")) {
    NFX_ASSIGN(guard, expression());
  }
  NFX_TRY(expect("]"));
  return kernel_.exprs.load(static_cast<uint32_t>(buffer), kernel_.buffers[index].dtype, offset,
                            guard);
}

// `:int32` after a number.
Result<Dtype> ExprParser::suffix(Dtype none) {
  if (!take(":")) return none;
  return dtype();
}

Result<ExprId> ExprParser::constant(bool negative) {
  const Token digits = token();
  advance();
  const bool is_float = digits.text.find_first_of(".e") != std::string_view::npos;
  Dtype target = is_float ? Dtype::kFloat64 : Dtype::kInt64;
  // The lexer splits `1.5f` into a number and the word `f`.
  if (is_float && take("f")) {
    target = Dtype::kFloat32;
  } else {
    NFX_ASSIGN(target, suffix(target));
  }
  const auto bad = [&] {
    return diagnose(LoopBadNumber{std::string(digits.text), std::string(dtype_name(target))},
                    place_of(digits));
  };
  if (!is_computable(target) || target == Dtype::kBool || is_float != is_floating(target)) {
    return bad();
  }
  if (!is_float) {
    int64_t bits = 0;
    if (!read_integer(digits.text, negative, target, bits)) return bad();
    return kernel_.exprs.constant(target, bits);
  }
  // Straight to float32 where that is meant: through double would round twice.
  double value = 0;
  float narrow = 0;
  const bool wide = target == Dtype::kFloat64;
  if (!(wide ? read_all(digits.text, value) : read_all(digits.text, narrow))) return bad();
  if (!wide) value = double{narrow};
  return kernel_.exprs.constant(target, negative ? -value : value);
}

// `inf`, `nan`, `nan(0x7ff8000000000001)`.
Result<ExprId> ExprParser::special_float(bool negative) {
  double value = std::numeric_limits<double>::infinity();
  const bool is_nan = is("nan");
  if (is_nan) value = std::numeric_limits<double>::quiet_NaN();
  advance();
  if (is_nan && take("(")) {
    const Token digits = token();
    uint64_t bits = 0;
    const std::string_view text = digits.text;
    const auto end = text.data() + text.size();
    const bool read = text.starts_with("0x") && text.size() > 2 &&
                      std::from_chars(text.data() + 2, end, bits, 16).ptr == end;
    value = std::bit_cast<double>(bits);
    if (!read || value == value) {
      return diagnose(LoopBadNumber{std::string(text), "NaN"}, place_of(digits));
    }
    advance();
    NFX_TRY(expect(")"));
  }
  const Token at = token();
  NFX_ASSIGN(const Dtype target, suffix(Dtype::kFloat64));
  if (!is_computable(target) || !is_floating(target)) {
    return diagnose(LoopBadNumber{is_nan ? "nan" : "inf", std::string(dtype_name(target))},
                    place_of(at));
  }
  return kernel_.exprs.constant(target, negative ? -value : value);
}

}  // namespace nfx
