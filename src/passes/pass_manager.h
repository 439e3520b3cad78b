// Runs passes by name: times each, verifies between them, prints before and
// after, and stops after the N-th for bisecting.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "passes/pass.h"

namespace nfx {

struct PassOptions {
  bool verify_each = false;
  int stop_after = -1;  // run only that many; negative: all
  // Called around each pass with its name and "before" or "after".
  std::function<void(std::string_view pass, std::string_view when, const Graph&)> observe;
};

struct PassRun {
  std::string name;
  Changed changed = Changed::kNo;
  double milliseconds = 0;
};

// Splits "dce,cse" at the commas.
Result<std::vector<const Pass*>> parse_pipeline(std::string_view names);

Result<std::vector<PassRun>> run_passes(Graph& graph, const std::vector<const Pass*>& passes,
                                        const PassOptions& options = {});

}  // namespace nfx
