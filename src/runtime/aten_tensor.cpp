#include "runtime/aten_tensor.h"

#include "runtime/aten_pool.h"

namespace nfx {
namespace {

struct PyTorchError {
  static constexpr std::string_view kCode = "pytorch-error";
  std::string what;
  std::string text;
  std::string message() const {
    return "`" + what + "` failed in PyTorch: " + (text.empty() ? "no text given" : text);
  }
  std::string help() const { return "the same call in eager mode fails alike"; }
};
NFX_DIAGNOSTIC(PyTorchError);

template <class Value, class Getter>
Value get(Getter getter, AtenHandle handle, Value otherwise) {
  Value value = otherwise;
  return getter(handle, &value) == 0 ? value : otherwise;
}

}  // namespace

Diagnostic aten_failure(std::string what) {
  return diagnose(PyTorchError{std::move(what), aten_abi().last_error()});
}

void* AtenView::data() const { return get<void*>(aten_abi().get_data_ptr, handle_, nullptr); }
Dtype AtenView::dtype() const {
  return static_cast<Dtype>(get<int32_t>(aten_abi().get_dtype, handle_, 0));
}
int64_t AtenView::dim() const { return get<int64_t>(aten_abi().get_dim, handle_, 0); }
int64_t AtenView::numel() const { return get<int64_t>(aten_abi().get_numel, handle_, 0); }

std::span<const int64_t> AtenView::sizes() const {
  const int64_t* sizes = get<int64_t*>(aten_abi().get_sizes, handle_, nullptr);
  if (sizes == nullptr) return {};
  return {sizes, static_cast<size_t>(dim())};
}
std::span<const int64_t> AtenView::strides() const {
  const int64_t* strides = get<int64_t*>(aten_abi().get_strides, handle_, nullptr);
  if (strides == nullptr) return {};
  return {strides, static_cast<size_t>(dim())};
}
int64_t AtenView::storage_offset() const {
  return get<int64_t>(aten_abi().get_storage_offset, handle_, 0);
}
int64_t AtenView::storage_bytes() const {
  return get<int64_t>(aten_abi().get_storage_size, handle_, 0);
}
int32_t AtenView::device_type() const {
  return get<int32_t>(aten_abi().get_device_type, handle_, -1);
}
int32_t AtenView::device_index() const {
  return get<int32_t>(aten_abi().get_device_index, handle_, -1);
}
int32_t AtenView::layout() const { return get<int32_t>(aten_abi().get_layout, handle_, -1); }
bool AtenView::on_cpu_strided() const { return device_type() == aten_abi().cpu && layout() == 0; }

AtenTensor AtenTensor::share(AtenHandle handle) {
  AtenHandle shared = nullptr;
  [[maybe_unused]] const AtenError error = aten_abi().new_tensor_handle(handle, &shared);
  assert(error == 0 && "a second handle of a live tensor cannot fail");
  return AtenTensor(shared);
}

Result<AtenTensor> AtenTensor::empty_strided(std::span<const int64_t> sizes,
                                             std::span<const int64_t> strides, Dtype dtype) {
  assert(sizes.size() == strides.size() && "one stride a dimension");
  if (const AtenPool* pool = AtenPool::get()) {
    AtenTensor made(pool->empty_strided(sizes, strides, dtype));
    if (made) return made;
  }
  const AtenAbi& abi = aten_abi();
  AtenHandle handle = nullptr;
  const AtenError error =
      abi.empty_strided(static_cast<int64_t>(sizes.size()), sizes.data(), strides.data(),
                        static_cast<int32_t>(dtype), abi.cpu, 0, &handle);
  if (error != 0) return aten_failure("empty_strided");
  return AtenTensor(handle);
}

Result<AtenTensor> AtenTensor::from_blob(void* data, std::span<const int64_t> sizes,
                                         std::span<const int64_t> strides, Dtype dtype) {
  assert(sizes.size() == strides.size() && "one stride a dimension");
  const AtenAbi& abi = aten_abi();
  AtenHandle handle = nullptr;
  const AtenError error =
      abi.from_blob(data, static_cast<int64_t>(sizes.size()), sizes.data(), strides.data(), 0,
                    static_cast<int32_t>(dtype), abi.cpu, 0, &handle);
  if (error != 0) return aten_failure("from_blob");
  return AtenTensor(handle);
}

Result<AtenTensor> AtenTensor::as_strided(AtenHandle base, std::span<const int64_t> sizes,
                                          std::span<const int64_t> strides, int64_t offset) {
  assert(sizes.size() == strides.size() && "one stride a dimension");
  const int64_t beyond_base = offset - AtenView(base).storage_offset();
  AtenHandle handle = nullptr;
  const AtenError error = aten_abi().reinterpret_tensor(
      base, static_cast<int64_t>(sizes.size()), sizes.data(), strides.data(), beyond_base, &handle);
  if (error != 0) return aten_failure("as_strided");
  return AtenTensor(handle);
}

int aten_num_threads() {
  uint32_t count = 1;
  if (aten_abi().get_num_threads(&count) != 0 || count == 0) return 1;
  return static_cast<int>(count);
}

}  // namespace nfx
