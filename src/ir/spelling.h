// How the text form spells strings, names and numbers.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace nfx {

// Deeper structures are neither read nor printed.
inline constexpr int kMaxNesting = 200;

// A name stands bare if it consists of these; otherwise it is quoted.
inline bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.';
}

// "..." with \n, \t, \r, \", \\ and \xNN, which is a byte. Valid UTF-8 stays.
void spell_string(std::string& out, std::string_view text);

// `name` or `"any text"`.
void spell_name(std::string& out, std::string_view name);

// The shortest text that reads back as the same bits, never mistaken for an
// integer: `1.0`, `-0.0`, `inf`, `nan`, `nan(0x7ff8000000000001)`.
void spell_float(std::string& out, double value);

void spell_int(std::string& out, int64_t value);

}  // namespace nfx
