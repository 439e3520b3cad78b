// The command line of nativefx; it needs no Python.
#include <algorithm>
#include <iostream>

#include "nfx/command.h"

namespace nfx {

std::vector<AddCommand>& commands() {
  static std::vector<AddCommand> list;
  return list;
}

}  // namespace nfx

int main(int argc, char** argv) {
  CLI::App app("Reads, checks and rewrites graphs in their text form", "nfx");
  app.require_subcommand(1);
  nfx::Status result = nfx::success();
  for (const nfx::AddCommand add : nfx::commands()) add(app, result);
  CLI11_PARSE(app, argc, argv);
  if (result) return 0;
  std::cerr << result.error().str() << "\n";
  return 1;
}
