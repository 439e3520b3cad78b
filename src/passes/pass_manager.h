// Runs passes: times each, verifies between them, shows the graph before and
// after, and stops after the N-th for bisecting. A pass also runs on the
// subgraphs that the graph's attributes hold, innermost first.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "passes/pass.h"

namespace nfx {

struct PassOptions {
  bool verify_each = false;
  int stop_after = -1;  // run only that many; negative: all
  // Run all passes again while one of them changes something, at most eight times.
  bool until_stable = false;
  // Called around each pass with its name and "before" or "after".
  std::function<void(std::string_view pass, std::string_view when, const Graph&)> observe;
};

struct PassRun {
  std::string name;
  Changed changed = Changed::kNo;
  double milliseconds = 0;
  size_t nodes = 0;  // afterwards, without those of subgraphs
};

// Splits "dce,cse" at the commas. Errors: `unknown-pass`.
Result<std::vector<const Pass*>> parse_pipeline(std::string_view names);

// Errors: with `verify_each`, what the verifier finds, with the pass that made it.
Result<std::vector<PassRun>> run_passes(Graph& graph, const std::vector<const Pass*>& passes,
                                        const PassOptions& options = {});

}  // namespace nfx
