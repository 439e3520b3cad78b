// Tensors that PyTorch owns, seen from native code: a borrowed view and an
// owning handle. Sizes and strides are in elements, offsets too.
#pragma once
#include <span>
#include <utility>

#include "ir/dtype.h"
#include "runtime/aten_abi.h"

namespace nfx {

// A borrowed tensor. Its getters do not allocate; their pointers live as long as
// the tensor's shape stays. A tensor without the asked property (strides of a
// sparse tensor, data of a meta tensor) gives an empty span or null.
class AtenView {
 public:
  explicit AtenView(AtenHandle handle) : handle_(handle) {}

  AtenHandle handle() const { return handle_; }
  void* data() const;  // of the first element, storage offset included
  Dtype dtype() const;
  int64_t dim() const;
  int64_t numel() const;
  std::span<const int64_t> sizes() const;
  std::span<const int64_t> strides() const;
  int64_t storage_offset() const;
  int64_t storage_bytes() const;
  int32_t device_type() const;
  int32_t device_index() const;
  int32_t layout() const;  // 0 is strided
  bool on_cpu_strided() const;

 private:
  AtenHandle handle_;
};

// An owned tensor, or none. Moving hands ownership on; there are no copies, use
// `share`.
class AtenTensor {
 public:
  AtenTensor() = default;
  explicit AtenTensor(AtenHandle owned) : handle_(owned) {}
  AtenTensor(AtenTensor&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  AtenTensor& operator=(AtenTensor&& other) noexcept {
    reset(std::exchange(other.handle_, nullptr));
    return *this;
  }
  AtenTensor(const AtenTensor&) = delete;
  AtenTensor& operator=(const AtenTensor&) = delete;
  ~AtenTensor() { reset(); }

  explicit operator bool() const { return handle_ != nullptr; }
  AtenHandle get() const { return handle_; }
  AtenView view() const { return AtenView(handle_); }
  AtenHandle release() { return std::exchange(handle_, nullptr); }
  void reset(AtenHandle owned = nullptr) {
    if (handle_ != nullptr) aten_abi().delete_tensor(handle_);
    handle_ = owned;
  }

  // A second owner of the same tensor.
  static AtenTensor share(AtenHandle handle);

  // A new tensor on the CPU with a storage of exactly its bytes, which PyTorch
  // can resize. The memory of a large one comes from the pool and returns to it
  // when the storage dies. Errors: `pytorch-error` (out of memory, sizes that overflow).
  static Result<AtenTensor> empty_strided(std::span<const int64_t> sizes,
                                          std::span<const int64_t> strides, Dtype dtype);

  // A CPU tensor over memory of ours, which must outlive it and all its views.
  // Not for a result that leaves: it cannot be resized.
  static Result<AtenTensor> from_blob(void* data, std::span<const int64_t> sizes,
                                      std::span<const int64_t> strides, Dtype dtype);

  // A view of the same storage, `offset` elements from the storage's start.
  static Result<AtenTensor> as_strided(AtenHandle base, std::span<const int64_t> sizes,
                                       std::span<const int64_t> strides, int64_t offset);

 private:
  AtenHandle handle_ = nullptr;
};

// The failure that PyTorch has just reported on this thread, as a diagnostic
// `pytorch-error` that names `what` was called.
Diagnostic aten_failure(std::string what);

// Turns grad mode off on this thread for a scope, as steps of a plan need it.
// Autocast and dispatch modes cannot be set through the C ABI: whoever enters a
// plan from Python checks that none is active.
class AtenNoGrad {
 public:
  AtenNoGrad() : was_enabled_(aten_abi().grad_mode_is_enabled()) {
    if (was_enabled_) aten_abi().grad_mode_set_enabled(false);
  }
  ~AtenNoGrad() {
    if (was_enabled_) aten_abi().grad_mode_set_enabled(true);
  }
  AtenNoGrad(const AtenNoGrad&) = delete;
  AtenNoGrad& operator=(const AtenNoGrad&) = delete;

 private:
  bool was_enabled_;
};

// The number of threads that PyTorch is set to use on this thread.
int aten_num_threads();

}  // namespace nfx
