#include "capi/handles.h"
#include "passes/pass_manager.h"
#include "passes/pipelines.h"

namespace nfx::capi {
namespace {

Status run(Graph& graph, std::string_view names) {
  if (names == "default") {
    NFX_TRY(run_default_pipeline(graph));
    return success();
  }
  NFX_ASSIGN(const std::vector<const Pass*> passes, parse_pipeline(names));
  NFX_TRY(run_passes(graph, passes));
  return success();
}

}  // namespace
}  // namespace nfx::capi

using namespace nfx::capi;

nfx_status nfx_graph_run_passes(nfx_graph* graph, nfx_string names, nfx_diagnostic** diagnostic) {
  clear(diagnostic);
  return guarded([&]() -> nfx_status {
    if (graph == nullptr || !readable(names)) return NFX_BAD_ARGUMENT;
    const nfx::Status status = run(*graph->graph, take(names));
    return status ? NFX_OK : fail(NFX_INVALID, diagnostic, status.error());
  });
}
