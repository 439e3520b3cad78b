#include "support/diagnostic.h"

#include <set>

namespace nfx {
namespace {

std::set<std::string_view>& registry() {
  static std::set<std::string_view> codes;
  return codes;
}

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kError: return "error";
    case Severity::kWarning: return "warning";
    case Severity::kNote: return "note";
  }
  return "error";
}

std::string place_text(const Place& place) {
  std::string text;
  if (!place.file.empty() || place.line > 0) {
    text += place.file.empty() ? "<text>" : place.file;
    if (place.line > 0) text += ":" + std::to_string(place.line);
    if (place.column > 0) text += ":" + std::to_string(place.column);
  }
  if (!place.scope.empty()) text += (text.empty() ? "in " : " in ") + place.scope;
  if (!place.node.empty()) text += (text.empty() ? "node %" : ", node %") + place.node;
  return text;
}

}  // namespace

bool register_diagnostic(std::string_view code) { return registry().insert(code).second; }

std::vector<std::string_view> diagnostic_codes() { return {registry().begin(), registry().end()}; }

std::string Diagnostic::str() const {
  std::string text(severity_name(severity));
  text += "[" + code + "]: " + message;
  if (std::string where = place_text(place); !where.empty()) text += "\n  --> " + where;
  if (!help.empty()) text += "\n  help: " + help;
  return text;
}

}  // namespace nfx
