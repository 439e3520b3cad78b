#include "ir/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>

namespace nfx {
namespace {

bool continues(std::string_view text, size_t index) {
  return index < text.size() && (static_cast<unsigned char>(text[index]) & 0xC0) == 0x80;
}

// Bytes of the UTF-8 character at `index`; 0 if it is none (overlong forms,
// surrogates and stray bytes are not).
size_t utf8_length(std::string_view text, size_t index) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[index + i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!continues(text, index + i)) return 0;
  }
  if (lead == 0xE0 && byte(1) < 0xA0) return 0;
  if (lead == 0xED && byte(1) >= 0xA0) return 0;
  if (lead == 0xF0 && byte(1) < 0x90) return 0;
  if (lead == 0xF4 && byte(1) >= 0x90) return 0;
  return length;
}

void spell_byte(std::string& out, char c) {
  switch (c) {
    case '\n': out += "\\n"; return;
    case '\t': out += "\\t"; return;
    case '\r': out += "\\r"; return;
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    default: break;
  }
  if (c >= 0x20 && c < 0x7F) {
    out += c;
  } else {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
  }
}

}  // namespace

void spell_string(std::string& out, std::string_view text) {
  out += '"';
  for (size_t i = 0; i < text.size();) {
    const size_t length = utf8_length(text, i);
    if (length > 1) {
      out += text.substr(i, length);
      i += length;
    } else {
      spell_byte(out, text[i++]);
    }
  }
  out += '"';
}

void spell_name(std::string& out, std::string_view name) {
  if (!name.empty() && std::ranges::all_of(name, is_name_char)) {
    out += name;
  } else {
    spell_string(out, name);
  }
}

void spell_float(std::string& out, double value) {
  if (std::isnan(value)) {
    const uint64_t bits = std::bit_cast<uint64_t>(value);
    if (bits == std::bit_cast<uint64_t>(std::numeric_limits<double>::quiet_NaN())) {
      out += "nan";
    } else {
      fmt::format_to(std::back_inserter(out), "nan(0x{:016x})", bits);
    }
    return;
  }
  const size_t start = out.size();
  fmt::format_to(std::back_inserter(out), "{}", value);
  if (std::isfinite(value) && out.find_first_of(".e", start) == std::string::npos) out += ".0";
}

void spell_int(std::string& out, int64_t value) {
  const fmt::format_int digits(value);
  out.append(digits.data(), digits.size());
}

}  // namespace nfx
