// `nfx verify FILE`: reads a graph and checks its invariants.
#include "nfx/command.h"
#include "nfx/input.h"

namespace nfx {
namespace {

Status verify_graph(const std::string& path) {
  NFX_ASSIGN(const std::unique_ptr<Graph> graph, read_graph(path));
  return verify(*graph);
}

NFX_COMMAND(verify) {
  CLI::App* command = app.add_subcommand("verify", "check the invariants of a graph");
  auto path = std::make_shared<std::string>();
  command->add_option("FILE", *path, "graph in text form, - for the standard input")->required();
  command->callback([=, &result] { result = verify_graph(*path); });
}

}  // namespace
}  // namespace nfx
