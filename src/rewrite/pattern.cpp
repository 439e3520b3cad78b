#include "rewrite/pattern.h"

#include <fmt/format.h>

namespace nfx {

Pattern computed(std::string_view text, ComputedArgument compute) {
  Pattern pattern;
  pattern.kind = PatternKind::kComputed;
  pattern.name = text;
  pattern.compute = std::move(compute);
  return pattern;
}

std::string Pattern::str() const {
  if (kind == PatternKind::kLiteral) {
    return is_integer ? fmt::format("{:.0f}", literal) : fmt::format("{:#}", literal);
  }
  if (kind != PatternKind::kCall) return std::string(name);
  std::string text(op->word);
  text += '(';
  for (size_t i = 0; i < children.size(); ++i) {
    if (i > 0) text += ", ";
    text += children[i].str();
  }
  return text + ')';
}

}  // namespace nfx
