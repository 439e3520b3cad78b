// A shared library with `nfx_plugin_init`, loaded and checked.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "nativefx/plugin.h"
#include "support/result.h"

namespace nfx {

class Plugin {
 public:
  // Errors: `plugin-open`, `plugin-entry`, `plugin-version`, `plugin-init`,
  // `plugin-malformed`.
  static Result<std::shared_ptr<Plugin>> load(const std::string& path);
  ~Plugin();
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  const std::string& path() const { return path_; }
  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }
  const std::vector<const nfx_backend*>& backends() const { return backends_; }

 private:
  explicit Plugin(std::string path) : path_(std::move(path)) {}
  Status open();
  Status init(nfx_plugin_init_function function);
  Status read_description();

  std::string path_, name_, version_;
  void* library_ = nullptr;
  nfx_plugin plugin_{};
  bool ready_ = false;  // `shutdown` is owed
  std::vector<const nfx_backend*> backends_;
};

// The diagnostic of a call that failed with `status`: what the plug-in says, with
// `code` and `prefix` before it. Frees `given`, which may be null.
Diagnostic plugin_failure(std::string_view code, std::string prefix, nfx_status status,
                          nfx_diagnostic* given);

}  // namespace nfx
