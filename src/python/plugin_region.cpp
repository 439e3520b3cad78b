#include "python/plugin_region.h"

#include "plugin/dl_dtype.h"
#include "python/diagnostic_error.h"
#include "python/tensor_crossing.h"

namespace nfx::python {
namespace {

struct RegionTensor {
  static constexpr std::string_view kCode = "region-tensor";
  size_t index;
  std::string message() const {
    return "tensor " + std::to_string(index) + " of a region is no plain strided CPU tensor";
  }
  std::string help() const { return "this call runs in PyTorch"; }
};
NFX_DIAGNOSTIC(RegionTensor);

// Tensors of PyTorch as a plug-in sees them. Owns a share of each, so that the
// interpreter lock can be let go.
class RegionInputs {
 public:
  void add(const TensorCrossing& crossing, nb::handle object) {
    if (!crossing.is_plain(object.ptr())) raise(diagnose(RegionTensor{kept_.size()}));
    AtenTensor keep;
    const AtenHandle handle = crossing.borrow(object.ptr(), keep);
    if (handle == nullptr) nb::raise_python_error();
    const AtenView view(handle);
    const std::optional<nfx_data_type> dtype = to_dl(view.dtype());
    if (!view.on_cpu_strided() || !dtype) raise(diagnose(RegionTensor{kept_.size()}));
    kept_.push_back(AtenTensor::share(handle));
    nfx_tensor tensor{};
    tensor.data = view.data();
    tensor.device = {1, 0};
    tensor.ndim = static_cast<int32_t>(view.dim());
    tensor.dtype = *dtype;
    tensor.shape = view.sizes().data();
    tensor.strides = view.strides().data();
    tensors_.push_back(tensor);
  }

  std::vector<const nfx_tensor*> pointers() const {
    std::vector<const nfx_tensor*> made;
    for (const nfx_tensor& tensor : tensors_) made.push_back(&tensor);
    return made;
  }

 private:
  std::vector<AtenTensor> kept_;
  std::vector<nfx_tensor> tensors_;
};

class TorchOutputs final : public OutputAllocator {
 public:
  explicit TorchOutputs(size_t count) : tensors(count) {}
  Result<void*> allocate(size_t index, std::span<const int64_t> sizes,
                         std::span<const int64_t> strides, Dtype dtype) override {
    NFX_ASSIGN(tensors[index], AtenTensor::empty_strided(sizes, strides, dtype));
    return tensors[index].view().data();
  }
  std::vector<AtenTensor> tensors;
};

}  // namespace

std::vector<bool> PluginRegion::tensor_inputs() const {
  std::vector<bool> found;
  for (const Node node : graph_->placeholders())
    found.push_back(node.type().kind == TypeKind::kTensor);
  return found;
}

nb::list PluginRegion::run(const nb::list& tensors, const std::vector<int64_t>& integers) const {
  const TensorCrossing& crossing = *value_or_raise(TensorCrossing::get());
  RegionInputs inputs;
  for (const nb::handle tensor : tensors) inputs.add(crossing, tensor);
  TorchOutputs outputs(executable_->shapes().outputs().size());
  Status status = success();
  {
    const nb::gil_scoped_release unlocked;
    status = executable_->run(inputs.pointers(), integers, outputs);
  }
  if (!status) raise(status.error());
  nb::list made;
  for (AtenTensor& tensor : outputs.tensors) {
    PyObject* object = crossing.wrap(std::move(tensor));
    if (object == nullptr) nb::raise_python_error();
    made.append(nb::steal(object));
  }
  return made;
}

}  // namespace nfx::python
