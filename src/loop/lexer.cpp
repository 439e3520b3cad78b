#include "loop/lexer.h"

namespace nfx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    for (;;) {
      skip_blank();
      tokens.push_back(next());
      if (tokens.back().kind == Token::Kind::kEnd) return tokens;
    }
  }

 private:
  char at(size_t position) const { return position < text_.size() ? text_[position] : '\0'; }

  void skip_blank() {
    bool in_comment = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        line_start_ = at_ + 1;
        in_comment = false;
      } else if (c == '#') {
        in_comment = true;
      } else if (!in_comment && c != ' ' && c != '\t' && c != '\r') {
        return;
      }
    }
  }

  Token next() {
    Token token;
    token.line = line_;
    token.column = static_cast<int>(at_ - line_start_) + 1;
    if (at_ == text_.size()) return token;
    size_t end = at_ + 1;
    token.kind = Token::Kind::kSign;
    if (is_digit(text_[at_])) {
      token.kind = Token::Kind::kNumber;
      end = number_end();
    } else if (is_word(text_[at_])) {
      token.kind = Token::Kind::kWord;
      while (is_word(at(end))) ++end;
      // A component of a reduction, `r0.1`, is one word.
      if (text_[at_] == 'r' && at(end) == '.' && is_digit(at(end + 1))) {
        for (++end; is_digit(at(end));) ++end;
      }
    }
    token.text = text_.substr(at_, end - at_);
    at_ = end;
    return token;
  }

  // Digits, or hexadecimal digits after 0x, or a decimal fraction and exponent.
  size_t number_end() const {
    size_t end = at_;
    if (text_[at_] == '0' && at(at_ + 1) == 'x') {
      end += 2;
      while (is_word(at(end))) ++end;
      return end;
    }
    while (is_digit(at(end))) ++end;
    if (at(end) == '.') ++end;
    while (is_digit(at(end))) ++end;
    if (at(end) != 'e') return end;
    const size_t digits = end + (at(end + 1) == '+' || at(end + 1) == '-' ? 2 : 1);
    if (!is_digit(at(digits))) return end;
    end = digits;
    while (is_digit(at(end))) ++end;
    return end;
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t line_start_ = 0;
  int line_ = 1;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) { return Lexer(text).run(); }

}  // namespace nfx
