// A subcommand of `nfx`: one file each, which enters itself into the list that
// main.cpp offers.
//
//   Status greet(const std::string& name) { ... }
//   NFX_COMMAND(greet) {
//     CLI::App* command = app.add_subcommand("greet", "say hello");
//     auto name = std::make_shared<std::string>();
//     command->add_option("NAME", *name)->required();
//     command->callback([=, &result] { result = greet(*name); });
//   }
#pragma once
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "support/result.h"

namespace nfx {

// Adds the subcommand to `app`; its callback leaves in `result` how it went.
using AddCommand = void (*)(CLI::App& app, Status& result);

std::vector<AddCommand>& commands();

struct CommandEntry {
  explicit CommandEntry(AddCommand add) { commands().push_back(add); }
};

}  // namespace nfx

#define NFX_COMMAND(name)                                                 \
  static void add_##name##_command(CLI::App& app, ::nfx::Status& result); \
  static const ::nfx::CommandEntry name##_command(&add_##name##_command); \
  static void add_##name##_command([[maybe_unused]] CLI::App& app,        \
                                   [[maybe_unused]] ::nfx::Status& result)
