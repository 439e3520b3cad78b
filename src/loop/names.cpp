#include "loop/names.h"

#include <algorithm>
#include <charconv>

namespace nfx {
namespace {

constexpr std::string_view kPrefixes[] = {"b", "s", "r", "t", "d", "state", "other", "param"};
constexpr std::string_view kKeywords[] = {
    "kernel", "dim",    "rows",   "stage", "map",  "reduce", "let", "fold", "init",
    "step",   "merge",  "finish", "store", "load", "if",     "in",  "out",  "inout",
    "dense",  "ragged", "inf",    "nan",   "true", "false",  "none"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

int64_t numbered(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return -1;
  const std::string_view digits = name.substr(prefix.size());
  if (digits.empty() || digits.size() > 9 || !std::all_of(digits.begin(), digits.end(), is_digit)) {
    return -1;
  }
  if (digits.size() > 1 && digits[0] == '0') return -1;
  int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

bool is_reserved_name(std::string_view name) {
  const auto is_numbered = [&](std::string_view prefix) { return numbered(name, prefix) >= 0; };
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes), is_numbered) ||
         std::find(std::begin(kKeywords), std::end(kKeywords), name) != std::end(kKeywords);
}

bool is_free_name(std::string_view name) {
  if (name.empty() || !is_letter(name[0])) return false;
  const auto can_stand = [](char c) { return is_letter(c) || is_digit(c); };
  return std::all_of(name.begin(), name.end(), can_stand) && !is_reserved_name(name);
}

std::vector<std::string> dimension_names(const Kernel& kernel, bool own) {
  std::vector<std::string> names;
  for (size_t d = 0; d < kernel.dims.size(); ++d) {
    const std::string& name = kernel.dims[d].name;
    const bool taken = std::find(names.begin(), names.end(), name) != names.end();
    const bool keep = own && is_free_name(name) && !taken;
    names.push_back(keep ? name : "d" + std::to_string(d));
  }
  return names;
}

}  // namespace nfx
