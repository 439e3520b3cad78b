#include "python/torch_objects.h"

#include <string>

namespace nfx::python {
namespace {

const TorchObjects* looked_up = nullptr;

PyTypeObject* type_named(const char* module, const char* name) {
  nb::object type = nb::module_::import_(module).attr(name);
  return reinterpret_cast<PyTypeObject*>(type.release().ptr());  // types of PyTorch stay
}

}  // namespace

TorchObjects::TorchObjects() {
  node = type_named("torch.fx.node", "Node");
  immutable_list = type_named("torch.fx.immutable_collections", "immutable_list");
  immutable_dict = type_named("torch.fx.immutable_collections", "immutable_dict");
  size = type_named("torch", "Size");
  tensor = type_named("torch", "Tensor");
  fake_tensor = type_named("torch._subclasses.fake_tensor", "FakeTensor");
  graph_module = type_named("torch.fx.graph_module", "GraphModule");
  PyTypeObject* dtype = type_named("torch", "dtype");
  PyTypeObject* device = type_named("torch", "device");
  dtype_type = reinterpret_cast<PyObject*>(dtype);
  device_type = reinterpret_cast<PyObject*>(device);
  enter_kinds(dtype, device);
  operator_types_ = {type_named("torch._ops", "OpOverload"),
                     type_named("torch._ops", "OpOverloadPacket"),
                     type_named("torch._ops", "HigherOrderOperator")};
  enter_dtypes();
}

void TorchObjects::enter_kinds(PyTypeObject* dtype, PyTypeObject* device) {
  kinds_ = {
      {Py_TYPE(Py_None), ArgKind::kNone},
      {&PyBool_Type, ArgKind::kBool},
      {&PyLong_Type, ArgKind::kInt},
      {&PyFloat_Type, ArgKind::kFloat},
      {&PyComplex_Type, ArgKind::kComplex},
      {&PyUnicode_Type, ArgKind::kString},
      {&PyEllipsis_Type, ArgKind::kEllipsis},
      {&PyTuple_Type, ArgKind::kTuple},
      {&PyList_Type, ArgKind::kList},
      {immutable_list, ArgKind::kList},
      {size, ArgKind::kSize},
      {&PyDict_Type, ArgKind::kDict},
      {immutable_dict, ArgKind::kDict},
      {&PySlice_Type, ArgKind::kSlice},
      {&PyRange_Type, ArgKind::kRange},
      {dtype, ArgKind::kDtype},
      {device, ArgKind::kDevice},
      {type_named("torch", "layout"), ArgKind::kLayout},
      {type_named("torch", "memory_format"), ArgKind::kMemoryFormat},
      {type_named("torch", "SymInt"), ArgKind::kSym},
      {type_named("torch", "SymFloat"), ArgKind::kSym},
      {type_named("torch", "SymBool"), ArgKind::kSym},
  };
}

void TorchObjects::enter_dtypes() {
  const nb::module_ torch = nb::module_::import_("torch");
  for (int code = 0; code < kDtypeCount; ++code) {
    const std::string name(dtype_name(static_cast<Dtype>(code)));
    if (!nb::hasattr(torch, name.c_str())) continue;
    PyObject* object = nb::object(torch.attr(name.c_str())).release().ptr();
    dtype_objects_[code] = object;
    dtypes_.emplace(object, static_cast<Dtype>(code));
  }
}

const TorchObjects& TorchObjects::get() {
  if (looked_up == nullptr) looked_up = new TorchObjects;
  return *looked_up;
}

bool TorchObjects::is_operator(PyObject* object) const {
  for (PyTypeObject* type : operator_types_) {
    if (PyObject_TypeCheck(object, type)) return true;
  }
  return false;
}

std::optional<Dtype> TorchObjects::dtype(PyObject* object) const {
  const auto found = dtypes_.find(object);
  if (found == dtypes_.end()) return std::nullopt;
  return found->second;
}

nb::object TorchObjects::dtype_object(Dtype dtype) const {
  PyObject* object = dtype_objects_[static_cast<size_t>(dtype)];
  if (object == nullptr) {
    const std::string name(dtype_name(dtype));
    throw nb::value_error(("this PyTorch has no dtype `" + name + "`").c_str());
  }
  return nb::borrow(object);
}

nb::object TorchObjects::singleton(std::string_view name) const {
  return nb::module_::import_("torch").attr(std::string(name).c_str());
}

std::optional<std::string_view> utf8(PyObject* text) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text, &size);
  if (data == nullptr) {
    PyErr_Clear();
    return std::nullopt;
  }
  return std::string_view(data, static_cast<size_t>(size));
}

nb::str py_text(std::string_view text) { return nb::str(text.data(), text.size()); }

}  // namespace nfx::python
