#include "runtime/aten_abi.h"

#include <dlfcn.h>

#include <atomic>
#include <mutex>

#include "ir/dtype.h"

namespace nfx {
namespace {

struct NoPyTorch {
  static constexpr std::string_view kCode = "no-pytorch";
  std::string message() const { return "PyTorch is not loaded in this process"; }
  std::string help() const {
    return "`import torch` first; without it a plan may hold only compiled kernels";
  }
};
NFX_DIAGNOSTIC(NoPyTorch);

struct PyTorchAbi {
  static constexpr std::string_view kCode = "pytorch-abi";
  std::string problem;
  std::string message() const { return "PyTorch's stable C ABI is not as expected: " + problem; }
  std::string help() const { return "use PyTorch 2.11 to 2.14, or run without native ATen calls"; }
};
NFX_DIAGNOSTIC(PyTorchAbi);

class Loader {
 public:
  explicit Loader(void* library) : library_(library) {}

  template <class Function>
  void require(Function*& slot, const char* name) {
    find(slot, name);
    if (slot == nullptr) missing_ += (missing_.empty() ? "`" : ", `") + std::string(name) + "`";
  }
  template <class Function>
  void find(Function*& slot, const char* name) {
    slot = reinterpret_cast<Function*>(dlsym(library_, name));
  }
  const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

void load_tensors(Loader& loader, AtenAbi& abi) {
  loader.require(abi.delete_tensor, "aoti_torch_delete_tensor_object");
  loader.require(abi.new_tensor_handle, "aoti_torch_new_tensor_handle");
  loader.require(abi.get_data_ptr, "aoti_torch_get_data_ptr");
  loader.require(abi.get_dim, "aoti_torch_get_dim");
  loader.require(abi.get_numel, "aoti_torch_get_numel");
  loader.require(abi.get_sizes, "aoti_torch_get_sizes");
  loader.require(abi.get_strides, "aoti_torch_get_strides");
  loader.require(abi.get_dtype, "aoti_torch_get_dtype");
  loader.require(abi.get_device_type, "aoti_torch_get_device_type");
  loader.require(abi.get_device_index, "aoti_torch_get_device_index");
  loader.require(abi.get_layout, "aoti_torch_get_layout");
  loader.require(abi.get_storage_offset, "aoti_torch_get_storage_offset");
  loader.require(abi.get_storage_size, "aoti_torch_get_storage_size");
  loader.require(abi.is_defined, "aoti_torch_is_defined");
  loader.require(abi.empty_strided, "aoti_torch_empty_strided");
  loader.require(abi.reinterpret_tensor, "aoti_torch__reinterpret_tensor");
  loader.require(abi.from_blob, "aoti_torch_create_tensor_from_blob");
  loader.require(abi.copy_, "aoti_torch_copy_");
  loader.require(abi.item_float64, "aoti_torch_item_float64");
  loader.require(abi.item_int64, "aoti_torch_item_int64");
  loader.require(abi.item_bool, "aoti_torch_item_bool");
}

void load_calls(Loader& loader, AtenAbi& abi) {
  loader.require(abi.call_dispatcher, "aoti_torch_call_dispatcher");
  loader.require(abi.new_list, "torch_new_list_reserve_size");
  loader.require(abi.list_size, "torch_list_size");
  loader.require(abi.list_get_item, "torch_list_get_item");
  loader.require(abi.list_push_back, "torch_list_push_back");
  loader.require(abi.delete_list, "torch_delete_list");
  loader.require(abi.string_length, "torch_string_length");
  loader.require(abi.string_c_str, "torch_string_c_str");
  loader.require(abi.delete_string, "torch_delete_string");
  loader.require(abi.grad_mode_is_enabled, "aoti_torch_grad_mode_is_enabled");
  loader.require(abi.grad_mode_set_enabled, "aoti_torch_grad_mode_set_enabled");
  loader.require(abi.get_num_threads, "torch_get_num_threads");
  loader.require(abi.parallel_for, "torch_parallel_for");
  loader.require(abi.abi_version, "aoti_torch_abi_version");
  loader.find(abi.exception_what, "torch_exception_get_what_without_backtrace");
  loader.find(abi.new_stable_ivalue, "torch_new_stable_ivalue");
  loader.find(abi.delete_stable_ivalue, "torch_delete_stable_ivalue");
}

// Codes cross as plain integers, so the ones in use must be PyTorch's own.
std::string differing_code(const AtenAbi& abi) {
  struct Code {
    std::string name;
    int32_t ours;
  };
  std::vector<Code> codes = {
      {"device_type_cpu", 0},
      {"layout_strided", 0},
      {"layout_sparse_coo", 1},
      {"layout_sparse_csr", 2},
      {"layout__mkldnn", 3},
      {"memory_format_contiguous_format", 0},
      {"memory_format_preserve_format", 1},
      {"memory_format_channels_last", 2},
      {"memory_format_channels_last_3d", 3},
  };
  for (int code = 0; code < kDtypeCount; ++code) {
    codes.push_back({"dtype_" + std::string(dtype_name(static_cast<Dtype>(code))), code});
  }
  for (const Code& code : codes) {
    const auto theirs = reinterpret_cast<int32_t (*)()>(abi.symbol("aoti_torch_" + code.name));
    if (theirs != nullptr && theirs() != code.ours) return code.name;
  }
  return {};
}

std::mutex load_mutex;
std::atomic<const AtenAbi*> loaded{nullptr};

Result<const AtenAbi*> load() {
  static AtenAbi abi;
  const std::lock_guard lock(load_mutex);
  if (const AtenAbi* known = loaded.load()) return known;
  abi.library = dlopen("libtorch_cpu.so", RTLD_NOLOAD | RTLD_NOW);
  if (abi.library == nullptr) return diagnose(NoPyTorch{});
  Loader loader(abi.library);
  load_tensors(loader, abi);
  load_calls(loader, abi);
  if (!loader.missing().empty()) {
    return diagnose(PyTorchAbi{"it lacks " + loader.missing()});
  }
  if (const std::string code = differing_code(abi); !code.empty()) {
    return diagnose(PyTorchAbi{"the code of `" + code + "` has another value"});
  }
  loaded.store(&abi);
  return static_cast<const AtenAbi*>(&abi);
}

}  // namespace

Result<const AtenAbi*> AtenAbi::get() {
  if (const AtenAbi* abi = loaded.load(std::memory_order_acquire)) return abi;
  return load();
}

const AtenAbi& aten_abi() {
  const AtenAbi* abi = loaded.load(std::memory_order_acquire);
  assert(abi != nullptr && "AtenAbi::get has not succeeded yet");
  return *abi;
}

std::string AtenAbi::last_error() const {
  const char* what = exception_what == nullptr ? nullptr : exception_what();
  return what == nullptr ? std::string() : std::string(what);
}

void* AtenAbi::symbol(const std::string& name) const { return dlsym(library, name.c_str()); }

}  // namespace nfx
