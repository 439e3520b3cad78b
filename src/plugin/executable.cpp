#include "plugin/executable.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>

#include "nativefx/nativefx.h"
#include "plugin/dl_dtype.h"

namespace nfx {
namespace {

struct PluginRun {
  static constexpr std::string_view kCode = "plugin-run";
};
NFX_DIAGNOSTIC(PluginRun);

struct PluginOutput {
  static constexpr std::string_view kCode = "plugin-output";
  size_t index;
  std::string why;
  std::string message() const {
    return "output " + std::to_string(index) + " of a region was not made: " + why;
  }
  std::string help() const { return "the fault is in the plug-in; this call runs in PyTorch"; }
};
NFX_DIAGNOSTIC(PluginOutput);

// The outputs of one run, as they are asked for.
class RunOutputs {
 public:
  RunOutputs(const RegionShapes& shapes, std::vector<int64_t> layouts, OutputAllocator& allocator)
      : shapes_(shapes), layouts_(std::move(layouts)), allocator_(allocator) {
    tensors_.resize(shapes.outputs().size());
    for (size_t i = 0, at = 0; i < tensors_.size(); ++i) {
      const RegionShapes::Tensor& type = shapes.outputs()[i];
      tensors_[i].ndim = static_cast<int32_t>(type.rank);
      tensors_[i].device = {1, 0};
      tensors_[i].dtype = *to_dl(type.dtype);
      tensors_[i].shape = layouts_.data() + at;
      tensors_[i].strides = layouts_.data() + at + type.rank;
      at += size_t{2} * type.rank;
    }
    made_.resize(tensors_.size(), false);
  }

  static nfx_status allocate(const nfx_call* call, size_t index, const int64_t* shape, int32_t ndim,
                             nfx_tensor** output) {
    if (call == nullptr || output == nullptr) return NFX_BAD_ARGUMENT;
    try {
      return static_cast<RunOutputs*>(call->host)->make(index, shape, ndim, output);
    } catch (const std::exception&) {
      return NFX_FAILED;
    }
  }

  // What went wrong with the outputs, whatever the plug-in says.
  Status check() const {
    if (error_) return *error_;
    for (size_t i = 0; i < made_.size(); ++i) {
      if (!made_[i]) return diagnose(PluginOutput{i, "it was never allocated"});
    }
    return success();
  }

 private:
  nfx_status make(size_t index, const int64_t* shape, int32_t ndim, nfx_tensor** output) {
    if (index >= tensors_.size()) return refuse(index, "there is no such output", NFX_OUT_OF_RANGE);
    nfx_tensor& tensor = tensors_[index];
    const std::span<const int64_t> sizes(tensor.shape, static_cast<size_t>(tensor.ndim));
    if (shape != nullptr && (ndim != tensor.ndim || !std::equal(sizes.begin(), sizes.end(), shape)))
      return refuse(index, "another shape was asked for than PyTorch expects", NFX_INVALID);
    if (!made_[index]) {
      Result<void*> data = allocator_.allocate(index, sizes, {tensor.strides, sizes.size()},
                                               shapes_.outputs()[index].dtype);
      if (!data) {
        error_ = data.error();
        return NFX_OUT_OF_MEMORY;
      }
      tensor.data = *data;
      made_[index] = true;
    }
    *output = &tensor;
    return NFX_OK;
  }

  nfx_status refuse(size_t index, std::string why, nfx_status status) {
    error_ = diagnose(PluginOutput{index, std::move(why)});
    return status;
  }

  const RegionShapes& shapes_;
  std::vector<int64_t> layouts_;
  OutputAllocator& allocator_;
  std::vector<nfx_tensor> tensors_;
  std::vector<bool> made_;
  std::optional<Diagnostic> error_;
};

}  // namespace

PluginExecutable::PluginExecutable(std::shared_ptr<Plugin> plugin, const nfx_backend* backend,
                                   void* executable, RegionShapes shapes)
    : plugin_(std::move(plugin)),
      backend_(backend),
      executable_(executable),
      shapes_(std::move(shapes)) {}

PluginExecutable::~PluginExecutable() { backend_->destroy(backend_->state, executable_); }

Status PluginExecutable::run(std::span<const nfx_tensor* const> inputs,
                             std::span<const int64_t> integers, OutputAllocator& outputs) const {
  NFX_ASSIGN(std::vector<int64_t> layouts, shapes_.evaluate(inputs, integers));
  RunOutputs made(shapes_, std::move(layouts), outputs);
  nfx_call call{};
  call.struct_size = sizeof call;
  call.num_outputs = static_cast<uint32_t>(shapes_.outputs().size());
  call.inputs = inputs.data();
  call.num_inputs = inputs.size();
  call.integers = integers.data();
  call.num_integers = integers.size();
  call.allocate = &RunOutputs::allocate;
  call.host = &made;
  nfx_diagnostic* diagnostic = nullptr;
  const nfx_status status = backend_->run(backend_->state, executable_, &call, &diagnostic);
  if (status != NFX_OK)
    return plugin_failure(
        PluginRun::kCode,
        "`" + std::string(backend_->name.data, backend_->name.size) + "` failed to run a region",
        status, diagnostic);
  nfx_diagnostic_free(diagnostic);
  return made.check();
}

}  // namespace nfx
