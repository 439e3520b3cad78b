// `nfx print FILE`: reads a graph and prints it in its usual form.
#include <iostream>

#include "nfx/command.h"
#include "nfx/input.h"

namespace nfx {
namespace {

Status print_graph(const std::string& path, const PrintOptions& options) {
  NFX_ASSIGN(const std::unique_ptr<Graph> graph, read_graph(path));
  std::cout << print(*graph, options);
  return success();
}

NFX_COMMAND(print) {
  CLI::App* command = app.add_subcommand("print", "print a graph in its usual form");
  auto path = std::make_shared<std::string>();
  auto options = std::make_shared<PrintOptions>();
  command->add_option("FILE", *path, "graph in text form, - for the standard input")->required();
  command->add_flag("!--no-types", options->types, "leave types out");
  command->add_flag("!--no-meta", options->meta, "leave origins and orders of users out");
  command->callback([=, &result] { result = print_graph(*path, *options); });
}

}  // namespace
}  // namespace nfx
