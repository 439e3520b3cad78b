// One argument of a call into PyTorch. A view: tensors, texts and lists belong
// to the caller and must live until the call returns.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "ir/dtype.h"
#include "runtime/aten_abi.h"

namespace nfx {

enum class AtenArgKind : uint8_t {
  kNone,
  kBool,
  kInt,
  kFloat,
  kComplex,
  kString,
  kDtype,
  kDevice,
  kLayout,        // c10::Layout: strided 0, sparse_coo 1, sparse_csr 2, mkldnn 3, ...
  kMemoryFormat,  // c10::MemoryFormat: contiguous 0, preserve 1, channels_last 2, ..._3d 3
  kTensor,
  kTensorList,  // a null handle is None
  kIntList,
  kFloatList,
  kBoolList,
};

struct AtenArg {
  struct Complex {
    double real;
    double imag;
  };
  struct Device {
    int32_t type;   // c10::DeviceType, 0 is the CPU
    int32_t index;  // -1 without an index
  };
  struct Sequence {
    const void* data;
    size_t size;
  };

  AtenArgKind kind = AtenArgKind::kNone;
  union {
    int64_t integer;  // kBool, kInt, kDtype, kLayout, kMemoryFormat
    double real;
    Complex complex;
    Device device;
    AtenHandle tensor;  // borrowed
    Sequence sequence;  // kString and the lists
  };

  AtenArg() : complex{} {}

  static AtenArg none() { return {}; }
  static AtenArg boolean(bool value) { return code(AtenArgKind::kBool, value ? 1 : 0); }
  static AtenArg of_int(int64_t value) { return code(AtenArgKind::kInt, value); }
  static AtenArg of_float(double value) {
    AtenArg arg(AtenArgKind::kFloat);
    arg.real = value;
    return arg;
  }
  static AtenArg of_complex(double real, double imag) {
    AtenArg arg(AtenArgKind::kComplex);
    arg.complex = {real, imag};
    return arg;
  }
  static AtenArg dtype(Dtype value) {
    return code(AtenArgKind::kDtype, static_cast<int64_t>(value));
  }
  static AtenArg layout(int value) { return code(AtenArgKind::kLayout, value); }
  static AtenArg memory_format(int value) { return code(AtenArgKind::kMemoryFormat, value); }
  static AtenArg of_device(int32_t type, int32_t index = -1) {
    AtenArg arg(AtenArgKind::kDevice);
    arg.device = {type, index};
    return arg;
  }
  static AtenArg of_tensor(AtenHandle handle) {  // a null handle is None
    AtenArg arg(handle == nullptr ? AtenArgKind::kNone : AtenArgKind::kTensor);
    arg.tensor = handle;
    return arg;
  }
  static AtenArg string(std::string_view text) {
    return list(AtenArgKind::kString, text.data(), text.size());
  }
  static AtenArg tensors(std::span<const AtenHandle> handles) {
    return list(AtenArgKind::kTensorList, handles.data(), handles.size());
  }
  static AtenArg ints(std::span<const int64_t> values) {
    return list(AtenArgKind::kIntList, values.data(), values.size());
  }
  static AtenArg floats(std::span<const double> values) {
    return list(AtenArgKind::kFloatList, values.data(), values.size());
  }
  static AtenArg bools(std::span<const uint8_t> values) {
    return list(AtenArgKind::kBoolList, values.data(), values.size());
  }

  template <class T>
  std::span<const T> items() const {
    return {static_cast<const T*>(sequence.data), sequence.size};
  }
  std::string_view text() const { return {static_cast<const char*>(sequence.data), sequence.size}; }

 private:
  explicit AtenArg(AtenArgKind which) : kind(which), complex{} {}
  static AtenArg code(AtenArgKind kind, int64_t value) {
    AtenArg arg(kind);
    arg.integer = value;
    return arg;
  }
  static AtenArg list(AtenArgKind kind, const void* data, size_t size) {
    AtenArg arg(kind);
    arg.sequence = {data, size};
    return arg;
  }
};

}  // namespace nfx
