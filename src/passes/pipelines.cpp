#include "passes/pipelines.h"

#include <cassert>
#include <string_view>

namespace nfx {

std::vector<const Pass*> default_pipeline() {
  constexpr std::string_view kNames[] = {
      "dce", "remove_noops", "merge_views", "fold_constants", "simplify", "cse", "dce"};
  std::vector<const Pass*> passes;
  for (const std::string_view name : kNames) {
    passes.push_back(find_pass(name));
    assert(passes.back() != nullptr && "a pass of the default pipeline is missing");
  }
  return passes;
}

Result<std::vector<PassRun>> run_default_pipeline(Graph& graph, PassOptions options) {
  options.until_stable = true;
  return run_passes(graph, default_pipeline(), options);
}

}  // namespace nfx
