// Diagnostics are typed data. A kind of diagnostic is a struct with named
// fields, declared beside its only use:
//
//   struct UnsupportedOp {
//     static constexpr std::string_view kCode = "unsupported-op";
//     std::string op;
//     std::string message() const { return "no backend takes `" + op + "`"; }
//     std::string help() const { return "it will run in PyTorch; ..."; }
//   };
//   NFX_DIAGNOSTIC(UnsupportedOp);
//   ...
//   return diagnose(UnsupportedOp{"aten.fft_fft"}, node_place);
//
// NFX_DIAGNOSTIC enters the code in a registry, from which a test checks that
// every code is produced by some test.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nfx {

enum class Severity : uint8_t { kError, kWarning, kNote };

// Where a diagnostic points: a position in a text, or a node with the Python
// line that made it. Empty fields are unknown.
struct Place {
  std::string file;   // file name of a text or of the Python source
  int line = 0;       // 1-based, 0 is unknown
  int column = 0;     // 1-based, 0 is unknown
  std::string scope;  // function or module path in the Python source
  std::string node;   // name of the node without `%`
};

struct Diagnostic {
  Severity severity = Severity::kError;
  std::string code;
  std::string message;  // lower case, says what is wrong with which thing
  std::string help;     // what the reader can do about it
  Place place;

  // error[code]: message
  //   --> file:line:column in scope, node %name
  //   help: ...
  std::string str() const;
};

template <class Kind>
Diagnostic diagnose(const Kind& kind, Place place = {}, Severity severity = Severity::kError) {
  return {severity, std::string(Kind::kCode), kind.message(), kind.help(), std::move(place)};
}

// Every registered diagnostic code, sorted.
std::vector<std::string_view> diagnostic_codes();
bool register_diagnostic(std::string_view code);

}  // namespace nfx

#define NFX_DIAGNOSTIC(Kind) \
  [[maybe_unused]] static const bool registered_##Kind = ::nfx::register_diagnostic(Kind::kCode)
