#include "python/aten_values.h"

#include <nanobind/stl/string.h>

#include <string_view>

namespace nfx {
namespace nb = nanobind;
namespace {

std::string_view without_torch(std::string_view text) {
  constexpr std::string_view kPrefix = "torch.";
  return text.starts_with(kPrefix) ? text.substr(kPrefix.size()) : text;
}

// c10's codes, in their order.
constexpr std::string_view kLayouts[] = {"strided",    "sparse_coo", "sparse_csr", "_mkldnn",
                                         "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged"};
constexpr std::string_view kMemoryFormats[] = {"contiguous_format", "preserve_format",
                                               "channels_last", "channels_last_3d"};

int index_of(std::span<const std::string_view> names, std::string_view name) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<int>(i);
  }
  return -1;
}

[[noreturn]] void refuse(nb::handle value) {
  const std::string type = Py_TYPE(value.ptr())->tp_name;
  throw nb::type_error(("a value of type `" + type + "` has no native form").c_str());
}

}  // namespace

AtenHandle AtenArgHolder::tensor(nb::handle value) {
  if (value.is_none()) return nullptr;
  if (!crossing_.is_tensor(value.ptr())) refuse(value);
  AtenTensor& owned = tensors_.emplace_back();
  const AtenHandle handle = crossing_.borrow(value.ptr(), owned);
  if (handle == nullptr) throw nb::python_error();
  if (!owned) owned = AtenTensor::share(handle);
  return owned.get();
}

AtenArg AtenArgHolder::sequence(const SchemaType& type, nb::handle value) {
  switch (type.kind) {
    case SchemaKind::kTensor: {
      auto& items = handle_lists_.emplace_back();
      for (nb::handle item : value) items.push_back(tensor(item));
      return AtenArg::tensors(items);
    }
    case SchemaKind::kInt: {
      auto& items = int_lists_.emplace_back();
      for (nb::handle item : value) items.push_back(nb::cast<int64_t>(item));
      return AtenArg::ints(items);
    }
    case SchemaKind::kFloat: {
      auto& items = float_lists_.emplace_back();
      for (nb::handle item : value) items.push_back(nb::cast<double>(item));
      return AtenArg::floats(items);
    }
    case SchemaKind::kBool: {
      auto& items = bool_lists_.emplace_back();
      for (nb::handle item : value) items.push_back(nb::cast<bool>(item) ? 1 : 0);
      return AtenArg::bools(items);
    }
    default: refuse(value);
  }
}

AtenArg AtenArgHolder::torch_value(nb::handle value) {
  const std::string_view type = Py_TYPE(value.ptr())->tp_name;
  const std::string text = nb::cast<std::string>(nb::str(value));
  const std::string_view name = without_torch(text);
  if (type == "torch.dtype") {
    if (const auto dtype = dtype_from_name(name)) return AtenArg::dtype(*dtype);
  } else if (type == "torch.layout") {
    if (const int code = index_of(kLayouts, name); code >= 0) return AtenArg::layout(code);
  } else if (type == "torch.memory_format") {
    const int code = index_of(kMemoryFormats, name);
    if (code >= 0) return AtenArg::memory_format(code);
  } else if (type == "torch.device" && nb::cast<std::string>(value.attr("type")) == "cpu") {
    const nb::object index = value.attr("index");
    return AtenArg::of_device(0, index.is_none() ? -1 : nb::cast<int32_t>(index));
  }
  refuse(value);
}

AtenArg AtenArgHolder::number(nb::handle value) {
  if (PyBool_Check(value.ptr())) return AtenArg::boolean(value.ptr() == Py_True);
  if (PyLong_Check(value.ptr())) return AtenArg::of_int(nb::cast<int64_t>(value));
  if (PyFloat_Check(value.ptr())) return AtenArg::of_float(nb::cast<double>(value));
  const Py_complex pair = PyComplex_AsCComplex(value.ptr());
  return AtenArg::of_complex(pair.real, pair.imag);
}

AtenArg AtenArgHolder::convert(const SchemaType& type, nb::handle value) {
  PyObject* object = value.ptr();
  if (value.is_none()) return AtenArg::none();
  if (crossing_.is_tensor(object)) return AtenArg::of_tensor(tensor(value));
  if (PyList_Check(object) || PyTuple_Check(object)) return sequence(type, value);
  if (PyLong_Check(object) || PyFloat_Check(object) || PyComplex_Check(object)) {
    return number(value);
  }
  if (PyUnicode_Check(object)) {
    return AtenArg::string(texts_.emplace_back(nb::cast<std::string>(value)));
  }
  return torch_value(value);
}

namespace {

struct ToPython {
  nb::object operator()(AtenNone&) const { return nb::none(); }
  nb::object operator()(AtenTensor& tensor) const {
    PyObject* object = crossing.wrap(std::move(tensor));
    if (object == nullptr) throw nb::python_error();
    return nb::steal(object);
  }
  nb::object operator()(std::string& text) const { return nb::str(text.data(), text.size()); }
  nb::object operator()(std::vector<AtenTensor>& tensors) const {
    nb::list list;
    for (AtenTensor& tensor : tensors) {
      list.append(tensor ? (*this)(tensor) : nb::object(nb::none()));
    }
    return list;
  }
  template <class T>
  nb::object operator()(std::vector<T>& items) const {
    nb::list list;
    for (const T item : items) list.append(nb::cast(item));
    return list;
  }
  template <class T>
  nb::object operator()(T& value) const {
    return nb::cast(value);
  }
  const TensorCrossing& crossing;
};

template <class T>
nb::object list_of(const AtenArg& arg) {
  nb::list list;
  for (const T item : arg.items<T>()) list.append(nb::cast(item));
  return list;
}

nb::object tensor_or_none(const TensorCrossing& crossing, AtenHandle handle) {
  if (handle == nullptr) return nb::none();
  PyObject* object = crossing.wrap(AtenTensor::share(handle));
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

nb::object tensors_of(const TensorCrossing& crossing, const AtenArg& arg) {
  nb::list list;
  for (const AtenHandle item : arg.items<AtenHandle>()) {
    list.append(tensor_or_none(crossing, item));
  }
  return list;
}

nb::object torch_attribute(std::string_view name) {
  return nb::module_::import_("torch").attr(std::string(name).c_str());
}

}  // namespace

nb::object to_python(const TensorCrossing& crossing, const AtenArg& arg) {
  const auto code = static_cast<size_t>(arg.integer);
  switch (arg.kind) {
    case AtenArgKind::kNone: return nb::none();
    case AtenArgKind::kBool: return nb::bool_(arg.integer != 0);
    case AtenArgKind::kInt: return nb::int_(arg.integer);
    case AtenArgKind::kFloat: return nb::float_(arg.real);
    case AtenArgKind::kComplex:
      return nb::steal(PyComplex_FromDoubles(arg.complex.real, arg.complex.imag));
    case AtenArgKind::kString: return nb::str(arg.text().data(), arg.text().size());
    case AtenArgKind::kDtype: return torch_attribute(dtype_name(static_cast<Dtype>(arg.integer)));
    case AtenArgKind::kDevice: return nb::str(arg.device.type == 0 ? "cpu" : "meta");
    case AtenArgKind::kLayout: return torch_attribute(kLayouts[code]);
    case AtenArgKind::kMemoryFormat: return torch_attribute(kMemoryFormats[code]);
    case AtenArgKind::kTensor: return tensor_or_none(crossing, arg.tensor);
    case AtenArgKind::kTensorList: return tensors_of(crossing, arg);
    case AtenArgKind::kIntList: return list_of<int64_t>(arg);
    case AtenArgKind::kFloatList: return list_of<double>(arg);
    case AtenArgKind::kBoolList: break;
  }
  nb::list list;
  for (const uint8_t item : arg.items<uint8_t>()) list.append(nb::bool_(item != 0));
  return list;
}

nb::object to_python(const TensorCrossing& crossing, AtenValue value) {
  return std::visit(ToPython{crossing}, value);
}

}  // namespace nfx
