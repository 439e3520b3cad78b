// Where the subcommands get their graphs from.
#pragma once
#include <memory>
#include <string>

#include "ir/graph.h"
#include "support/result.h"

namespace nfx {

// The whole of a file, or of the standard input if `path` is `-`.
// Errors: `unreadable-file`.
Result<std::string> read_text(const std::string& path);

// A graph of a file, or of the standard input if `path` is `-`.
Result<std::unique_ptr<Graph>> read_graph(const std::string& path);

}  // namespace nfx
