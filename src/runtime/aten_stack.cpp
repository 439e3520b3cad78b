#include "runtime/aten_stack.h"

#include <bit>

namespace nfx {
namespace {

template <class Handle>
StableIValue slot_of(Handle* pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}
template <class Pointer>
Pointer pointer_in(StableIValue slot) {
  return reinterpret_cast<Pointer>(static_cast<uintptr_t>(slot));
}
StableIValue slot_of_code(int64_t code) {  // PyTorch copies the 32-bit code into the low bytes
  return static_cast<uint32_t>(static_cast<int32_t>(code));
}

bool kind_crosses(SchemaKind kind) {
  switch (kind) {
    case SchemaKind::kTensor:
    case SchemaKind::kInt:
    case SchemaKind::kFloat:
    case SchemaKind::kBool:
    case SchemaKind::kString:
    case SchemaKind::kDtype:
    case SchemaKind::kDevice:
    case SchemaKind::kLayout:
    case SchemaKind::kMemoryFormat: return true;
    default: return false;
  }
}

// Element types that PyTorch's own table of codes in the stable ABI knows.
bool dtype_crosses(int64_t code) {
  const auto dtype = static_cast<Dtype>(code);
  return (code >= 0 && dtype <= Dtype::kBool) || dtype == Dtype::kBFloat16 ||
         (dtype >= Dtype::kFloat8E5M2 && dtype <= Dtype::kUInt64) ||
         dtype == Dtype::kFloat8E8M0FNU || dtype == Dtype::kFloat4E2M1FNX2;
}

bool fill_tensor(const AtenAbi& abi, AtenHandle tensor, StableIValue& slot) {
  AtenHandle owned = nullptr;
  if (abi.new_tensor_handle(tensor, &owned) != 0) return false;
  slot = slot_of(owned);
  return true;
}

bool fill_number(SchemaKind kind, const AtenArg& arg, StableIValue& slot) {
  const bool integral = arg.kind == AtenArgKind::kInt || arg.kind == AtenArgKind::kBool;
  switch (kind) {
    case SchemaKind::kInt: slot = static_cast<StableIValue>(arg.integer); return integral;
    case SchemaKind::kFloat:
      slot = std::bit_cast<StableIValue>(integral ? static_cast<double>(arg.integer) : arg.real);
      return integral || arg.kind == AtenArgKind::kFloat;
    case SchemaKind::kBool: slot = arg.integer != 0 ? 1 : 0; return integral;
    default: return false;
  }
}

bool fill_element(const AtenAbi& abi, SchemaKind kind, const AtenArg& arg, StableIValue& slot) {
  switch (arg.kind) {
    case AtenArgKind::kTensor:
      return kind == SchemaKind::kTensor && fill_tensor(abi, arg.tensor, slot);
    case AtenArgKind::kString:  // PyTorch takes the text and leaks a copy, at every call
      return false;
    case AtenArgKind::kDtype:
      slot = slot_of_code(arg.integer);
      return kind == SchemaKind::kDtype && dtype_crosses(arg.integer);
    case AtenArgKind::kLayout: slot = slot_of_code(arg.integer); return kind == SchemaKind::kLayout;
    case AtenArgKind::kMemoryFormat:
      slot = slot_of_code(arg.integer);
      return kind == SchemaKind::kMemoryFormat;
    case AtenArgKind::kDevice:
      slot = static_cast<StableIValue>(static_cast<uint32_t>(arg.device.type)) << 32 |
             static_cast<uint32_t>(arg.device.index);
      return kind == SchemaKind::kDevice;
    default: return fill_number(kind, arg, slot);
  }
}

bool box(const AtenAbi& abi, StableIValue value, StableIValue& slot) {
  StableIValue* owned = nullptr;
  if (abi.new_stable_ivalue == nullptr) {
    owned = new StableIValue;
  } else if (abi.new_stable_ivalue(&owned) != 0) {
    return false;
  }
  *owned = value;
  slot = slot_of(owned);
  return true;
}

StableIValue unbox(const AtenAbi& abi, StableIValue slot) {
  auto* boxed = pointer_in<StableIValue*>(slot);
  const StableIValue value = *boxed;
  if (abi.delete_stable_ivalue == nullptr) {
    delete boxed;
  } else {
    abi.delete_stable_ivalue(boxed);
  }
  return value;
}

SchemaType element_of(const SchemaType& list) {
  SchemaType element;
  element.kind = list.kind;
  element.optional = list.element_optional;
  return element;
}

void release_list(const AtenAbi& abi, const SchemaType& type, AtenListHandle list) {
  const SchemaType element = element_of(type);
  size_t size = 0;
  abi.list_size(list, &size);
  for (size_t i = 0; i < size; ++i) {
    StableIValue item = 0;
    if (abi.list_get_item(list, i, &item) == 0) release_slot(abi, element, item);
  }
  abi.delete_list(list);
}

// The number of elements that `arg` stands for in a list of this type, and its
// i-th element. A single number stands for `list_size` equal ones.
size_t list_length(const SchemaType& type, const AtenArg& arg) {
  switch (arg.kind) {
    case AtenArgKind::kTensorList:
    case AtenArgKind::kIntList:
    case AtenArgKind::kFloatList:
    case AtenArgKind::kBoolList: return arg.sequence.size;
    default: return type.list_size > 0 ? static_cast<size_t>(type.list_size) : 1;
  }
}
AtenArg list_item(const AtenArg& arg, size_t i) {
  switch (arg.kind) {
    case AtenArgKind::kTensorList: return AtenArg::of_tensor(arg.items<AtenHandle>()[i]);
    case AtenArgKind::kIntList: return AtenArg::of_int(arg.items<int64_t>()[i]);
    case AtenArgKind::kFloatList: return AtenArg::of_float(arg.items<double>()[i]);
    case AtenArgKind::kBoolList: return AtenArg::boolean(arg.items<uint8_t>()[i] != 0);
    default: return arg;
  }
}

bool push_item(const AtenAbi& abi, const SchemaType& type, const AtenArg& item,
               AtenListHandle list) {
  StableIValue slot = 0;
  if (item.kind != AtenArgKind::kNone) {
    if (!fill_element(abi, type.kind, item, slot)) return false;
    const StableIValue value = slot;
    if (type.element_optional && !box(abi, value, slot)) {
      SchemaType element;
      element.kind = type.kind;
      release_slot(abi, element, value);
      return false;
    }
  } else if (!type.element_optional) {
    return false;
  }
  return abi.list_push_back(list, slot) == 0;
}

bool fill_list(const AtenAbi& abi, const SchemaType& type, const AtenArg& arg, StableIValue& slot) {
  const size_t length = list_length(type, arg);
  AtenListHandle list = nullptr;
  if (abi.new_list(length, &list) != 0) return false;
  for (size_t i = 0; i < length; ++i) {
    if (!push_item(abi, type, list_item(arg, i), list)) {
      release_list(abi, type, list);
      return false;
    }
  }
  slot = slot_of(list);
  return true;
}

AtenValue take_list(const AtenAbi& abi, const SchemaType& type, AtenListHandle list) {
  size_t size = 0;
  abi.list_size(list, &size);
  const auto collect = [&]<class Item>(std::vector<Item> items) {
    const SchemaType element = element_of(type);
    items.reserve(size);
    for (size_t i = 0; i < size; ++i) {
      StableIValue item = 0;
      abi.list_get_item(list, i, &item);
      AtenValue value = take_result(abi, element, item);
      auto* held = std::get_if<Item>(&value);
      items.push_back(held == nullptr ? Item() : std::move(*held));
    }
    abi.delete_list(list);
    return AtenValue(std::move(items));
  };
  switch (type.kind) {
    case SchemaKind::kTensor: return collect(std::vector<AtenTensor>());
    case SchemaKind::kFloat: return collect(std::vector<double>());
    case SchemaKind::kBool: return collect(std::vector<bool>());
    default: return collect(std::vector<int64_t>());
  }
}

AtenValue take_tensor(const AtenAbi& abi, AtenHandle handle) {
  AtenTensor tensor(handle);
  bool defined = false;
  if (abi.is_defined(handle, &defined) != 0 || !defined) return AtenNone{};
  return tensor;
}

AtenValue take_string(const AtenAbi& abi, AtenStringHandle handle) {
  size_t length = 0;
  const char* text = nullptr;
  abi.string_length(handle, &length);
  abi.string_c_str(handle, &text);
  std::string value(text, length);
  abi.delete_string(handle);
  return value;
}

}  // namespace

bool crosses_when_given(const SchemaType& type) {
  return kind_crosses(type.kind) && type.kind != SchemaKind::kString;
}

bool crosses_as_arg(const SchemaType& type) { return type.optional || crosses_when_given(type); }

bool crosses_as_result(const SchemaType& type) {
  if (type.list && type.kind == SchemaKind::kString) return false;
  return kind_crosses(type.kind) && type.kind != SchemaKind::kDevice;
}

bool fill_slot(const AtenAbi& abi, const SchemaType& type, const AtenArg& arg, StableIValue& slot) {
  if (arg.kind == AtenArgKind::kNone) {
    slot = 0;
    return type.optional;
  }
  const bool filled =
      type.list ? fill_list(abi, type, arg, slot) : fill_element(abi, type.kind, arg, slot);
  if (!filled || !type.optional) return filled;
  const StableIValue value = slot;
  if (box(abi, value, slot)) return true;
  SchemaType inner = type;
  inner.optional = false;
  release_slot(abi, inner, value);
  return false;
}

void release_slot(const AtenAbi& abi, const SchemaType& type, StableIValue slot) {
  if (type.optional) {
    if (slot == 0) return;
    slot = unbox(abi, slot);
  }
  if (type.list) {
    release_list(abi, type, pointer_in<AtenListHandle>(slot));
  } else if (type.kind == SchemaKind::kTensor) {
    abi.delete_tensor(pointer_in<AtenHandle>(slot));
  }
}

AtenValue take_result(const AtenAbi& abi, const SchemaType& type, StableIValue slot) {
  if (type.optional) {
    if (slot == 0) return AtenNone{};
    slot = unbox(abi, slot);
  }
  if (type.list) return take_list(abi, type, pointer_in<AtenListHandle>(slot));
  switch (type.kind) {
    case SchemaKind::kTensor: return take_tensor(abi, pointer_in<AtenHandle>(slot));
    case SchemaKind::kString: return take_string(abi, pointer_in<AtenStringHandle>(slot));
    case SchemaKind::kFloat: return std::bit_cast<double>(slot);
    case SchemaKind::kBool: return (slot & 0xff) != 0;
    case SchemaKind::kInt: return static_cast<int64_t>(slot);
    default: return static_cast<int64_t>(static_cast<int32_t>(slot));
  }
}

}  // namespace nfx
