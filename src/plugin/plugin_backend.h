// A backend of a plug-in: asked for nodes, given regions to compile.
#pragma once
#include <memory>
#include <mutex>
#include <string>

#include "capi/handles.h"
#include "partition/partition.h"
#include "plugin/executable.h"
#include "plugin/plugin.h"

namespace nfx {

class PluginBackend final : public Backend {
 public:
  // Keeps the plug-in loaded.
  PluginBackend(std::shared_ptr<Plugin> plugin, const nfx_backend* backend)
      : plugin_(std::move(plugin)), backend_(backend), name_(capi::take(backend->name)) {}

  std::string_view name() const override { return name_; }
  const Plugin& plugin() const { return *plugin_; }
  // A plug-in that fails says no; the failure is the reason.
  Support supports(Node node) override;

  // `region` as partition/extract.h makes it. Errors: `plugin-compile`, and those of
  // PluginExecutable::make.
  Result<std::shared_ptr<PluginExecutable>> compile(const std::shared_ptr<Graph>& region);

 private:
  std::shared_ptr<Plugin> plugin_;
  const nfx_backend* backend_;
  std::string name_;
  std::mutex mutex_;  // one question at a time, as plugin.h promises
};

}  // namespace nfx
