// A region that a plug-in has compiled, as Python calls it.
#pragma once
#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "plugin/executable.h"

namespace nfx::python {

namespace nb = nanobind;

class PluginRegion {
 public:
  PluginRegion(std::shared_ptr<PluginExecutable> executable, std::shared_ptr<Graph> graph,
               std::string plugin, std::string backend)
      : executable_(std::move(executable)),
        graph_(std::move(graph)),
        plugin_(std::move(plugin)),
        backend_(std::move(backend)) {}

  const std::shared_ptr<Graph>& graph() const { return graph_; }
  const std::string& name() const { return graph_->name(); }
  const std::string& plugin() const { return plugin_; }  // its path
  const std::string& backend() const { return backend_; }
  // For each placeholder of the graph, whether it is a tensor; else an integer.
  std::vector<bool> tensor_inputs() const;

  // Throws nativefx.Error: the plug-in failed, or an input is not plain memory.
  nb::list run(const nb::list& tensors, const std::vector<int64_t>& integers) const;

 private:
  std::shared_ptr<PluginExecutable> executable_;
  std::shared_ptr<Graph> graph_;
  std::string plugin_, backend_;
};

}  // namespace nfx::python
