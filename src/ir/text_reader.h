// Reads the words of the text form. Blanks, line ends and `// comments` separate
// them. Internal to src/ir.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "support/result.h"

namespace nfx {

class TextReader {
 public:
  TextReader(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  size_t position() const { return position_; }
  Place place(size_t position) const;  // line and column, both from 1
  Place place() const { return place(position_); }

  char peek() {  // the next character that is not blank; '\0' at the end
    skip_blanks();
    return here();
  }
  bool at_end() { return peek() == '\0' && position_ >= text_.size(); }
  bool take(char c);
  bool take_word(std::string_view word);  // a whole word
  bool next_is(std::string_view text);
  std::string_view word();                             // name characters; may be empty
  std::string_view raw(std::string_view allowed_too);  // name characters and these, at once
  char here() const { return position_ < text_.size() ? text_[position_] : '\0'; }
  char ahead(size_t offset) const {
    return position_ + offset < text_.size() ? text_[position_ + offset] : '\0';
  }
  void skip(size_t count) { position_ += count; }
  void rewind(size_t position) { position_ = position; }

  Status expect(char c);
  // Errors: `expected`, with what stands there instead.
  Diagnostic expected(std::string_view what);

  Result<std::string> string();     // "..."
  Result<std::string_view> name();  // bare or quoted, not empty; valid until the next call
  Result<int64_t> integer();
  Result<uint32_t> number();  // of a handle: from 1
  Result<double> real();
  // What stands from here to `meta(`, `users(` or the end of the line.
  std::string_view rest_of_type();
  bool only_blanks_since(size_t position) const;
  // A symbolic expression up to a comma or closing bracket of its own level.
  Result<std::string_view> expression();

 private:
  void skip_blanks();
  Result<char> escape();
  Result<double> special_real(std::string_view word, bool negative);
  Result<double> nan_payload();

  std::string_view text_;
  std::string_view file_;
  size_t position_ = 0;
  std::string scratch_;
};

}  // namespace nfx
