// A region that a plug-in has compiled.
#pragma once
#include <memory>

#include "plugin/plugin.h"
#include "plugin/region_shapes.h"

namespace nfx {

// Makes the tensors that leave a region.
class OutputAllocator {
 public:
  virtual ~OutputAllocator() = default;
  // Memory for output `index`, alive at least until the run has ended.
  virtual Result<void*> allocate(size_t index, std::span<const int64_t> sizes,
                                 std::span<const int64_t> strides, Dtype dtype) = 0;
};

class PluginExecutable {
 public:
  // Takes over `executable`, and keeps the plug-in loaded.
  PluginExecutable(std::shared_ptr<Plugin> plugin, const nfx_backend* backend, void* executable,
                   RegionShapes shapes);
  ~PluginExecutable();
  PluginExecutable(const PluginExecutable&) = delete;
  PluginExecutable& operator=(const PluginExecutable&) = delete;

  const RegionShapes& shapes() const { return shapes_; }

  // From any thread. On an error the outputs that were allocated hold anything.
  // Errors: `plugin-run`, `plugin-output`, `region-inputs`, those of `outputs`.
  Status run(std::span<const nfx_tensor* const> inputs, std::span<const int64_t> integers,
             OutputAllocator& outputs) const;

 private:
  std::shared_ptr<Plugin> plugin_;
  const nfx_backend* backend_;
  void* executable_;
  RegionShapes shapes_;
};

}  // namespace nfx
