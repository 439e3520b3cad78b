#include "plugin/plugin.h"

#include <dlfcn.h>

#include <filesystem>

#include "capi/handles.h"
#include "plugin/host_table.h"

namespace nfx {
namespace {

struct PluginOpen {
  static constexpr std::string_view kCode = "plugin-open";
  std::string path, why;
  std::string message() const { return "cannot load `" + path + "`: " + why; }
  std::string help() const { return "give the path of a shared library built for this machine"; }
};
NFX_DIAGNOSTIC(PluginOpen);

struct PluginEntry {
  static constexpr std::string_view kCode = "plugin-entry";
  std::string path;
  std::string message() const { return "`" + path + "` exports no `nfx_plugin_init`"; }
  std::string help() const {
    return "define it with NFX_PLUGIN_EXPORT, as nativefx/plugin.h shows";
  }
};
NFX_DIAGNOSTIC(PluginEntry);

struct PluginVersion {
  static constexpr std::string_view kCode = "plugin-version";
  std::string path;
  uint32_t version;
  std::string message() const {
    return "`" + path + "` was built for version " + std::to_string(version >> 16) + "." +
           std::to_string(version & 0xffff) + " of the plug-in interface, this is " +
           std::to_string(NFX_ABI_MAJOR) + "." + std::to_string(NFX_ABI_MINOR);
  }
  std::string help() const {
    return "build it with this version's headers, and set abi_version to NFX_ABI_VERSION";
  }
};
NFX_DIAGNOSTIC(PluginVersion);

struct PluginInit {
  static constexpr std::string_view kCode = "plugin-init";
};
NFX_DIAGNOSTIC(PluginInit);

struct PluginMalformed {
  static constexpr std::string_view kCode = "plugin-malformed";
  std::string path, what;
  std::string message() const { return "what `" + path + "` says of itself is wrong: " + what; }
  std::string help() const { return "nativefx/plugin.h says what a plug-in fills in"; }
};
NFX_DIAGNOSTIC(PluginMalformed);

bool is_accepted(uint32_t version) {
  return version >> 16 == NFX_ABI_MAJOR && version <= NFX_ABI_VERSION;
}

std::string fault_of(const nfx_backend* backend) {
  if (backend == nullptr) return "a backend is null";
  if (backend->struct_size < sizeof(nfx_backend)) return "struct_size of a backend is too small";
  if (backend->name.data == nullptr || backend->name.size == 0) return "a backend has no name";
  const std::string name(capi::take(backend->name));
  if (backend->supports == nullptr || backend->compile == nullptr || backend->run == nullptr ||
      backend->destroy == nullptr)
    return "backend `" + name + "` lacks a function";
  return {};
}

}  // namespace

Diagnostic plugin_failure(std::string_view code, std::string prefix, nfx_status status,
                          nfx_diagnostic* given) {
  Diagnostic made;
  made.code = code;
  made.message = std::move(prefix);
  const std::unique_ptr<nfx_diagnostic> owned(given);
  if (given != nullptr) {
    made.message += ": " + given->value.message;
    if (!given->value.code.empty()) made.message += " [" + given->value.code + "]";
    made.help = given->value.help;
    made.place = given->value.place;
  } else {
    made.message += " (status " + std::to_string(status) + ")";
  }
  if (made.help.empty()) made.help = "the fault is in the plug-in";
  return made;
}

Result<std::shared_ptr<Plugin>> Plugin::load(const std::string& path) {
  std::shared_ptr<Plugin> plugin(new Plugin(path));
  NFX_TRY(plugin->open());
  return plugin;
}

Plugin::~Plugin() {
  if (ready_ && plugin_.shutdown != nullptr) plugin_.shutdown(plugin_.state);
  if (library_ != nullptr) dlclose(library_);
}

Status Plugin::open() {
  // A path with a slash is never looked up in the library search path.
  std::error_code error;
  const std::string absolute = std::filesystem::absolute(path_, error).string();
  library_ = error ? nullptr : dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) {
    const char* why = error ? nullptr : dlerror();
    return diagnose(PluginOpen{path_, why != nullptr ? why : error.message()});
  }
  void* const entry = dlsym(library_, "nfx_plugin_init");
  if (entry == nullptr) return diagnose(PluginEntry{path_});
  return init(reinterpret_cast<nfx_plugin_init_function>(entry));
}

Status Plugin::init(nfx_plugin_init_function function) {
  plugin_.struct_size = sizeof(nfx_plugin);
  nfx_diagnostic* diagnostic = nullptr;
  const nfx_status status = function(&host_table(), &plugin_, &diagnostic);
  if (status == NFX_BAD_VERSION) {
    nfx_diagnostic_free(diagnostic);
    return diagnose(PluginVersion{path_, plugin_.abi_version});
  }
  if (status != NFX_OK)
    return plugin_failure(PluginInit::kCode, "`" + path_ + "` did not start", status, diagnostic);
  nfx_diagnostic_free(diagnostic);
  ready_ = true;
  return read_description();
}

Status Plugin::read_description() {
  if (!is_accepted(plugin_.abi_version)) return diagnose(PluginVersion{path_, plugin_.abi_version});
  auto malformed = [&](std::string what) { return diagnose(PluginMalformed{path_, what}); };
  if (plugin_.name.data == nullptr || plugin_.name.size == 0) return malformed("it has no name");
  name_ = capi::take(plugin_.name);
  if (!capi::readable(plugin_.version)) return malformed("its version is null");
  version_ = capi::take(plugin_.version);
  if (plugin_.backends == nullptr && plugin_.num_backends != 0)
    return malformed("its backends are null");
  for (size_t i = 0; i < plugin_.num_backends; ++i) {
    std::string fault = fault_of(plugin_.backends[i]);
    if (!fault.empty()) return malformed(std::move(fault));
    backends_.push_back(plugin_.backends[i]);
  }
  return success();
}

}  // namespace nfx
