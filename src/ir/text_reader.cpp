#include "ir/text_reader.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "ir/spelling.h"

namespace nfx {
namespace {

struct Expected {
  static constexpr std::string_view kCode = "expected";
  std::string what;
  std::string found;
  std::string message() const { return "expected " + what + ", found " + found; }
  std::string help() const { return "docs/ir.md has the grammar"; }
};
NFX_DIAGNOSTIC(Expected);

struct UnterminatedString {
  static constexpr std::string_view kCode = "unterminated-string";
  std::string message() const { return "a string has no closing `\"`"; }
  std::string help() const { return "close it on its own line; a line end inside is `\\n`"; }
};
NFX_DIAGNOSTIC(UnterminatedString);

struct BadEscape {
  static constexpr std::string_view kCode = "bad-escape";
  std::string found;
  std::string message() const { return "`\\" + found + "` is no escape"; }
  std::string help() const { return R"(there are \n \t \r \" \\ and \xNN)"; }
};
NFX_DIAGNOSTIC(BadEscape);

struct BadNumber {
  static constexpr std::string_view kCode = "bad-number";
  std::string text;
  std::string want;
  std::string message() const { return "`" + text + "` is not " + want; }
  std::string help() const { return "write a number that fits; `inf` and `nan` are numbers too"; }
};
NFX_DIAGNOSTIC(BadNumber);

constexpr size_t kShown = 24;  // characters of hostile text in a message

std::string excerpt(std::string_view text) {
  std::string shown;
  for (const char c : text.substr(0, kShown)) {
    if (c >= ' ' && c <= '~') {
      shown += c;
      continue;
    }
    std::string escaped;
    spell_string(escaped, std::string_view(&c, 1));
    shown += escaped.substr(1, escaped.size() - 2);
  }
  return shown;
}

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void TextReader::skip_blanks() {
  while (position_ < text_.size()) {
    if (is_blank(text_[position_])) {
      ++position_;
    } else if (text_[position_] == '/' && ahead(1) == '/') {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else {
      return;
    }
  }
}

Place TextReader::place(size_t position) const {
  const std::string_view before = text_.substr(0, position);
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  Place place;
  place.file = std::string(file_);
  place.line = static_cast<int>(std::ranges::count(before, '\n')) + 1;
  place.column = static_cast<int>(position - line_start) + 1;
  return place;
}

Diagnostic TextReader::expected(std::string_view what) {
  skip_blanks();
  std::string found = "the end of the text";
  if (position_ < text_.size()) {
    size_t length = 0;
    while (length < kShown && is_name_char(ahead(length))) ++length;
    found = "`" + excerpt(text_.substr(position_, std::max<size_t>(length, 1))) + "`";
  }
  return diagnose(Expected{std::string(what), std::move(found)}, place());
}

bool TextReader::take(char c) {
  if (peek() != c) return false;
  ++position_;
  return true;
}

bool TextReader::next_is(std::string_view text) {
  skip_blanks();
  return text_.substr(position_).starts_with(text);
}

bool TextReader::take_word(std::string_view word) {
  if (!next_is(word) || is_name_char(ahead(word.size()))) return false;
  position_ += word.size();
  return true;
}

std::string_view TextReader::word() {
  skip_blanks();
  return raw({});
}

std::string_view TextReader::raw(std::string_view allowed_too) {
  const size_t start = position_;
  while (position_ < text_.size() &&
         (is_name_char(text_[position_]) ||
          allowed_too.find(text_[position_]) != std::string_view::npos)) {
    ++position_;
  }
  return text_.substr(start, position_ - start);
}

Status TextReader::expect(char c) {
  if (take(c)) return success();
  return expected("`" + std::string(1, c) + "`");
}

Result<char> TextReader::escape() {
  constexpr std::string_view kNames = "ntr\"\\";
  constexpr std::string_view kValues = "\n\t\r\"\\";
  const size_t start = position_ - 1;
  const char c = here();
  ++position_;
  if (const size_t index = kNames.find(c); index != std::string_view::npos) return kValues[index];
  const std::string_view digits = text_.substr(std::min(position_, text_.size()), 2);
  unsigned value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (c != 'x' || error != std::errc() || end != digits.data() + 2) {
    return diagnose(BadEscape{excerpt(std::string_view(&c, 1))}, place(start));
  }
  position_ += 2;
  return static_cast<char>(value);
}

Result<std::string> TextReader::string() {
  const size_t start = position_;
  NFX_TRY(expect('"'));
  std::string value;
  while (true) {
    const size_t stop = std::min(text_.find_first_of("\"\\\n", position_), text_.size());
    value += text_.substr(position_, stop - position_);
    position_ = stop;
    if (stop == text_.size() || text_[stop] == '\n') {
      return diagnose(UnterminatedString{}, place(start));
    }
    ++position_;
    if (text_[stop] == '"') return value;
    NFX_ASSIGN(const char c, escape());
    value += c;
  }
}

Result<std::string_view> TextReader::name() {
  if (peek() != '"') {
    const std::string_view bare = raw({});
    if (bare.empty()) return expected("a name");
    return bare;
  }
  const size_t start = position_;
  NFX_ASSIGN(scratch_, string());
  if (!scratch_.empty()) return std::string_view(scratch_);
  position_ = start;
  return expected("a name that is not empty");
}

Result<int64_t> TextReader::integer() {
  skip_blanks();
  int64_t value = 0;
  const char* begin = text_.data() + position_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (error == std::errc::invalid_argument) return expected("an integer");
  const std::string_view digits(begin, static_cast<size_t>(end - begin));
  if (error != std::errc()) {
    return diagnose(BadNumber{excerpt(digits), "an integer of 64 bits"}, place());
  }
  position_ += digits.size();
  return value;
}

Result<uint32_t> TextReader::number() {
  const size_t start = position_;
  NFX_ASSIGN(const int64_t value, integer());
  if (value >= 1 && value <= UINT32_MAX) return static_cast<uint32_t>(value);
  return diagnose(BadNumber{std::to_string(value), "the number of a handle"}, place(start));
}

Result<double> TextReader::nan_payload() {
  const size_t start = position_ + 1;
  NFX_TRY(expect('('));
  const std::string_view digits = word();
  uint64_t bits = 0;
  const char* begin = digits.data() + std::min<size_t>(2, digits.size());
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(begin, end, bits, 16);
  const double value = std::bit_cast<double>(bits);
  if (!digits.starts_with("0x") || error != std::errc() || stop != end || !std::isnan(value)) {
    return diagnose(
        BadNumber{excerpt(digits), "the 64 bits of a NaN, as in `nan(0x7ff8000000000001)`"},
        place(start));
  }
  NFX_TRY(expect(')'));
  return value;
}

Result<double> TextReader::real() {
  const size_t start = (skip_blanks(), position_);
  const bool negative = here() == '-';
  if (negative) ++position_;
  if (take_word("inf")) {
    const double infinity = std::numeric_limits<double>::infinity();
    return negative ? -infinity : infinity;
  }
  if (!negative && take_word("nan")) {
    return here() == '(' ? nan_payload() : std::numeric_limits<double>::quiet_NaN();
  }
  const bool starts_as_number = is_digit(here()) || (here() == '.' && is_digit(ahead(1)));
  position_ = start;
  if (!starts_as_number) return expected("a number");
  double value = 0;
  const char* begin = text_.data() + position_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  const std::string_view digits(begin, static_cast<size_t>(end - begin));
  if (error != std::errc()) {
    return diagnose(BadNumber{excerpt(digits), "a float of 64 bits"}, place());
  }
  position_ += digits.size();
  return value;
}

std::string_view TextReader::rest_of_type() {
  skip_blanks();
  std::string_view rest = text_.substr(position_, text_.find('\n', position_) - position_);
  for (const std::string_view clause : {" meta(", " users("})
    rest = rest.substr(0, rest.find(clause));
  return rest;
}

bool TextReader::only_blanks_since(size_t position) const {
  if (position > position_) return false;
  return std::ranges::all_of(text_.substr(position, position_ - position), is_blank);
}

Result<std::string_view> TextReader::expression() {
  if (peek() == '"') {
    NFX_ASSIGN(scratch_, string());
    return std::string_view(scratch_);
  }
  const size_t start = position_;
  size_t level = 0;
  for (; position_ < text_.size(); ++position_) {
    const char c = text_[position_];
    if (c == '(' || c == '[') ++level;
    if ((c == ')' || c == ']') && level-- == 0) break;
    if (c == ',' && level == 0) break;
    if (c == '\n' || c == '"' || c == '{' || c == '}' || c == '?') break;
  }
  std::string_view text = text_.substr(start, position_ - start);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  if (text.empty()) return expected("an expression");
  return text;
}

}  // namespace nfx
