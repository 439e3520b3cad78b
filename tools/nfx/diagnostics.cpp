// `nfx diagnostics`: the code of every diagnostic, one a line.
#include <iostream>

#include "nfx/command.h"

namespace nfx {
namespace {

Status list_diagnostics() {
  for (const std::string_view code : diagnostic_codes()) std::cout << code << "\n";
  return success();
}

NFX_COMMAND(diagnostics) {
  CLI::App* command = app.add_subcommand("diagnostics", "list the code of every diagnostic");
  command->callback([&result] { result = list_diagnostics(); });
}

}  // namespace
}  // namespace nfx
