// Splits the text of a kernel into words, numbers and signs.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"

namespace nfx {

struct Token {
  enum class Kind : uint8_t { kWord, kNumber, kSign, kEnd };
  Kind kind = Kind::kEnd;
  std::string_view text;  // a number without its sign and suffix; a sign is one character
  int line = 1;
  int column = 1;
};

// A character that starts no token comes as a sign; the parser refuses it. `#`
// starts a comment that ends with the line. The last token is kEnd.
std::vector<Token> tokenize(std::string_view text);

inline Place place_of(const Token& token) { return {"", token.line, token.column, "", ""}; }

}  // namespace nfx
