#include "plugin/plugin_backend.h"

namespace nfx {
namespace {

struct PluginSupports {
  static constexpr std::string_view kCode = "plugin-supports";
};
NFX_DIAGNOSTIC(PluginSupports);

struct PluginCompile {
  static constexpr std::string_view kCode = "plugin-compile";
};
NFX_DIAGNOSTIC(PluginCompile);

}  // namespace

Support PluginBackend::supports(Node node) {
  // A handle that borrows: the graph outlives the call.
  const nfx_graph handle{std::shared_ptr<Graph>(std::shared_ptr<Graph>(), &node.graph())};
  nfx_support answer{};
  answer.struct_size = sizeof answer;
  nfx_diagnostic* diagnostic = nullptr;
  const std::lock_guard lock(mutex_);
  const nfx_status status =
      backend_->supports(backend_->state, &handle, node.id().value, &answer, &diagnostic);
  if (status != NFX_OK) {
    const Diagnostic failure = plugin_failure(
        PluginSupports::kCode, "`" + name_ + "` failed when asked", status, diagnostic);
    return {false, failure.code + ": " + failure.message};
  }
  nfx_diagnostic_free(diagnostic);
  if (answer.yes != 0) return {true, {}};
  const bool has_reason = answer.reason.data != nullptr && answer.reason.size != 0;
  return {false, has_reason ? std::string(capi::take(answer.reason)) : "it gives no reason"};
}

Result<std::shared_ptr<PluginExecutable>> PluginBackend::compile(
    const std::shared_ptr<Graph>& region) {
  NFX_ASSIGN(RegionShapes shapes, RegionShapes::of(*region));
  const nfx_graph handle{region};
  nfx_diagnostic* diagnostic = nullptr;
  void* executable = nullptr;
  const std::lock_guard lock(mutex_);
  const nfx_status status = backend_->compile(backend_->state, &handle, &executable, &diagnostic);
  if (status != NFX_OK)
    return plugin_failure(PluginCompile::kCode, "`" + name_ + "` did not compile a region", status,
                          diagnostic);
  nfx_diagnostic_free(diagnostic);
  return std::make_shared<PluginExecutable>(plugin_, backend_, executable, std::move(shapes));
}

}  // namespace nfx
