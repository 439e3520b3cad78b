// PyTorch's stable C ABI, found in the running process. Nothing is linked and no
// PyTorch header is read: the declarations below are the ones that this project
// uses, under the names that PyTorch's `aoti_torch/c/shim.h` and
// `stable/c/shim.h` document.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/result.h"

namespace nfx {

struct AtenTensorOpaque;
using AtenHandle = AtenTensorOpaque*;  // PyTorch's `AtenTensorHandle`
struct AtenListOpaque;
using AtenListHandle = AtenListOpaque*;
struct AtenStringOpaque;
using AtenStringHandle = AtenStringOpaque*;
using StableIValue = uint64_t;  // one slot of a dispatcher stack
using AtenError = int32_t;      // 0 is success
using AtenRange = void (*)(int64_t begin, int64_t end, void* context);

struct AtenAbi {
  // Tensors. A getter's pointer is borrowed from the tensor.
  AtenError (*delete_tensor)(AtenHandle);
  AtenError (*new_tensor_handle)(AtenHandle, AtenHandle*);
  AtenError (*get_data_ptr)(AtenHandle, void**);
  AtenError (*get_dim)(AtenHandle, int64_t*);
  AtenError (*get_numel)(AtenHandle, int64_t*);
  AtenError (*get_sizes)(AtenHandle, int64_t**);
  AtenError (*get_strides)(AtenHandle, int64_t**);
  AtenError (*get_dtype)(AtenHandle, int32_t*);
  AtenError (*get_device_type)(AtenHandle, int32_t*);
  AtenError (*get_device_index)(AtenHandle, int32_t*);
  AtenError (*get_layout)(AtenHandle, int32_t*);
  AtenError (*get_storage_offset)(AtenHandle, int64_t*);
  AtenError (*get_storage_size)(AtenHandle, int64_t*);
  AtenError (*is_defined)(AtenHandle, bool*);
  AtenError (*empty_strided)(int64_t ndim, const int64_t* sizes, const int64_t* strides,
                             int32_t dtype, int32_t device, int32_t index, AtenHandle*);
  AtenError (*reinterpret_tensor)(AtenHandle, int64_t ndim, const int64_t* sizes,
                                  const int64_t* strides, int64_t offset, AtenHandle*);
  AtenError (*from_blob)(void* data, int64_t ndim, const int64_t* sizes, const int64_t* strides,
                         int64_t offset, int32_t dtype, int32_t device, int32_t index, AtenHandle*);
  AtenError (*copy_)(AtenHandle self, AtenHandle source, int32_t non_blocking);

  // One element as a number.
  AtenError (*item_float64)(AtenHandle, double*);
  AtenError (*item_int64)(AtenHandle, int64_t*);
  AtenError (*item_bool)(AtenHandle, bool*);

  // Operators by name, and the containers on their stacks.
  AtenError (*call_dispatcher)(const char* name, const char* overload, StableIValue* stack);
  AtenError (*new_list)(size_t reserve, AtenListHandle*);
  AtenError (*list_size)(AtenListHandle, size_t*);
  AtenError (*list_get_item)(AtenListHandle, size_t, StableIValue*);
  AtenError (*list_push_back)(AtenListHandle, StableIValue);
  AtenError (*delete_list)(AtenListHandle);
  AtenError (*string_length)(AtenStringHandle, size_t*);
  AtenError (*string_c_str)(AtenStringHandle, const char**);
  AtenError (*delete_string)(AtenStringHandle);

  // State of the calling thread, and threads.
  bool (*grad_mode_is_enabled)();
  void (*grad_mode_set_enabled)(bool);
  AtenError (*get_num_threads)(uint32_t*);
  AtenError (*parallel_for)(int64_t begin, int64_t end, int64_t grain, AtenRange, void* context);
  uint64_t (*abi_version)();

  // Since 2.13; null before. Without the first, a failure has no text. Without
  // the second and third, boxes come from `operator new`, as PyTorch's own
  // headers made them then.
  const char* (*exception_what)();
  AtenError (*new_stable_ivalue)(StableIValue**);
  AtenError (*delete_stable_ivalue)(StableIValue*);

  int32_t cpu = 0;          // c10::DeviceType of the CPU
  void* library = nullptr;  // for looking up `aoti_torch_cpu_*`

  // The table, loaded at the first call that finds PyTorch in the process.
  // Errors: `no-pytorch` (PyTorch is not loaded; a later call tries again),
  // `pytorch-abi` (symbols are missing, or codes differ from those known here).
  static Result<const AtenAbi*> get();

  // The text of the calling thread's last failure, without C++ stack frames.
  std::string last_error() const;

  // A symbol of libtorch_cpu by name, null if there is none.
  void* symbol(const std::string& name) const;

  int major_version() const { return static_cast<int>(abi_version() >> 56); }
  int minor_version() const { return static_cast<int>((abi_version() >> 48) & 0xff); }
};

// The table after `AtenAbi::get` has succeeded once in this process.
const AtenAbi& aten_abi();

}  // namespace nfx
