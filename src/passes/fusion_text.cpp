#include "passes/fusion_text.h"

#include <cmath>

namespace nfx {

std::string side(const std::vector<std::string>& inputs, const std::string& body,
                 std::string_view result) {
  std::string text = "graph @side {\n";
  for (const std::string& input : inputs) {
    text += "  %" + input + " = placeholder \"" + input + "\"\n";
  }
  return text + body + "  output(%" + std::string(result) + ")\n}\n";
}

std::string line(std::string_view name, std::string_view target, std::string_view arguments) {
  std::string text = "  %";
  text += name;
  text += " = call ";
  text += target;
  text += '(';
  text += arguments;
  return text + ")\n";
}

bool is_about(const SubgraphMatch& match, std::string_view name, double number) {
  const ArgumentView value = match.value(name);
  const std::optional<double> given = value ? value.as_number() : std::nullopt;
  return given && std::abs(*given - number) <= 1e-6 * std::abs(number);
}

bool names_last_dimension(const SubgraphMatch& match, std::string_view name, size_t rank) {
  ArgumentView value = match.value(name);
  if (value && value.size() == 1) value = value.child(0);
  const std::optional<int64_t> dim = value ? value.as_int() : std::nullopt;
  return dim && (*dim == -1 || *dim + 1 == static_cast<int64_t>(rank));
}

const Type* floating_tensor(const SubgraphMatch& match, std::string_view name) {
  const Type* type = match.tensor(name);
  return type != nullptr && is_floating(type->dtype) ? type : nullptr;
}

}  // namespace nfx
