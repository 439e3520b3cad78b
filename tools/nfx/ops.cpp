// `nfx ops`: the op table, one row a line; with --schemas the signatures.
#include <iostream>

#include "nfx/command.h"
#include "ops/describe.h"
#include "ops/op_table.h"

namespace nfx {
namespace {

Status list_ops(bool schemas) {
  if (!schemas) {
    std::cout << describe_rows();
    return success();
  }
  for (const auto& [name, row] : op_rows()) std::cout << row.schema->str() << "\n";
  return success();
}

NFX_COMMAND(ops) {
  CLI::App* command = app.add_subcommand("ops", "list the rows of the op table");
  auto schemas = std::make_shared<bool>(false);
  command->add_flag("--schemas", *schemas, "print the signature of each op instead");
  command->callback([=, &result] { result = list_ops(*schemas); });
}

}  // namespace
}  // namespace nfx
