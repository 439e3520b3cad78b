#include "python/tensor_crossing.h"

#include <dlfcn.h>

#include <cstring>

#include "runtime/aten_pool.h"
#include "runtime/memory_pool.h"

namespace nfx {
namespace nb = nanobind;
namespace {

// THPVariable_Wrap(const at::TensorBase&): a handle is the address of such a tensor.
constexpr const char* kWrapSymbol = "_Z16THPVariable_WrapRKN2at10TensorBaseE";

uintptr_t word_at(PyObject* object, size_t offset) {
  uintptr_t word = 0;
  std::memcpy(&word, reinterpret_cast<char*>(object) + offset, sizeof word);
  return word;
}

// The one offset at which every object holds its own `_cdata`, or 0.
size_t common_slot(std::span<const nb::object> tensors) {
  const PyTypeObject* base = Py_TYPE(tensors[0].ptr());
  size_t found = 0;
  const auto size = static_cast<size_t>(base->tp_basicsize);
  for (size_t offset = sizeof(PyObject); offset + sizeof(void*) <= size; offset += sizeof(void*)) {
    bool all = true;
    for (const nb::object& tensor : tensors) {
      const auto cdata = nb::cast<uintptr_t>(tensor.attr("_cdata"));
      all = all && word_at(tensor.ptr(), offset) == cdata;
    }
    if (!all) continue;
    if (found != 0) return 0;  // two candidates: no guess
    found = offset;
  }
  return found;
}

// Whether the handle at that slot answers with the object's own properties.
bool slot_answers(const nb::object& tensor, size_t offset) {
  const AtenView view(reinterpret_cast<AtenHandle>(reinterpret_cast<char*>(tensor.ptr()) + offset));
  const nb::object shape = tensor.attr("shape");
  const auto sizes = view.sizes();
  if (nb::len(shape) != sizes.size()) return false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (nb::cast<int64_t>(shape[i]) != sizes[i]) return false;
  }
  return nb::cast<uintptr_t>(tensor.attr("data_ptr")()) == reinterpret_cast<uintptr_t>(view.data());
}

}  // namespace

void TensorCrossing::probe_slot(nb::handle torch) {
  const nb::object floats = torch.attr("ones")(2, 3);
  const nb::object ints = torch.attr("arange")(5);
  const nb::object view = torch.attr("ones")(4, 4).attr("select")(0, 2);
  const nb::object parameter = torch.attr("nn").attr("Parameter")(torch.attr("ones")(7));
  const nb::object tensors[] = {floats, ints, view, parameter};
  const size_t offset = common_slot(tensors);
  if (offset == 0) return;
  for (const nb::object& tensor : tensors) {
    if (!slot_answers(tensor, offset)) return;
  }
  slot_offset_ = offset;
}

void TensorCrossing::probe_wrap(nb::handle torch) {
  void* library = dlopen("libtorch_python.so", RTLD_NOLOAD | RTLD_NOW);
  if (library == nullptr) return;
  const auto wrap = reinterpret_cast<PyObject* (*)(AtenHandle)>(dlsym(library, kWrapSymbol));
  if (wrap == nullptr) return;
  // Trusted once it gives a known object back for its own tensor.
  const nb::object known = torch.attr("ones")(2, 3);
  AtenTensor keep;
  const AtenHandle handle = borrow(known.ptr(), keep);
  if (handle == nullptr) {
    PyErr_Clear();
    return;
  }
  const nb::object wrapped = nb::steal(wrap(handle));
  if (wrapped.ptr() == known.ptr()) wrap_ = wrap;
}

// PyTorch's tensors over memory of ours are used once one of them has the keys and
// the exact bytes of PyTorch's own, and grows and dies like those.
void TensorCrossing::probe_pool(nb::handle torch) const {
  const nb::object binding = torch.attr("_C");
  const nb::object keys =
      binding.attr("DispatchKeySet")(binding.attr("DispatchKey").attr("CPU")).attr("raw_repr")();
  if (!AtenPool::enable(nb::cast<uint64_t>(keys))) return;
  const MemoryPool& pool = MemoryPool::process();
  const int64_t in_use = pool.usage().in_use;
  const int64_t sizes[] = {1, MemoryPool::kSmallest}, strides[] = {MemoryPool::kSmallest, 1};
  Result<AtenTensor> made = AtenTensor::empty_strided(sizes, strides, Dtype::kUInt8);
  bool as_expected = made && pool.usage().in_use > in_use;
  if (as_expected) {
    nb::object tensor = nb::steal(wrap(std::move(*made)));
    if (!tensor.is_valid()) nb::raise_python_error();
    const nb::object like = torch.attr("empty")(1);
    const auto keys_of = [&](const nb::object& of) {
      return nb::cast<uint64_t>(binding.attr("_dispatch_keys")(of).attr("raw_repr")());
    };
    const nb::object storage = tensor.attr("untyped_storage")();
    as_expected = keys_of(tensor) == keys_of(like) &&
                  nb::cast<int64_t>(storage.attr("nbytes")()) == MemoryPool::kSmallest;
    storage.attr("resize_")(2 * MemoryPool::kSmallest);
    as_expected = as_expected && pool.usage().in_use == in_use + 2 * MemoryPool::kSmallest;
  }
  MemoryPool::process().release_idle();
  if (!as_expected || pool.usage().in_use != in_use) AtenPool::disable();
}

Result<const TensorCrossing*> TensorCrossing::get() {
  static TensorCrossing crossing;
  if (crossing.tensor_type_ != nullptr) return static_cast<const TensorCrossing*>(&crossing);
  NFX_TRY(AtenAbi::get());
  const nb::module_ torch = nb::module_::import_("torch");
  crossing.aoti_ = torch.attr("_C").attr("_aoti").inc_ref().ptr();
  crossing.parameter_type_ =
      reinterpret_cast<PyTypeObject*>(torch.attr("nn").attr("Parameter").inc_ref().ptr());
  crossing.probe_slot(torch);
  crossing.probe_wrap(torch);
  crossing.probe_pool(torch);
  crossing.tensor_type_ = reinterpret_cast<PyTypeObject*>(torch.attr("Tensor").inc_ref().ptr());
  return static_cast<const TensorCrossing*>(&crossing);
}

AtenHandle TensorCrossing::borrow_slowly(PyObject* tensor, AtenTensor& keep) const {
  PyObject* capsule = PyObject_CallMethod(aoti_, "unsafe_alloc_void_ptr_from_tensor", "O", tensor);
  if (capsule == nullptr) return nullptr;
  void* owned = PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule));
  Py_DECREF(capsule);
  keep.reset(static_cast<AtenHandle>(owned));
  return keep.get();
}

PyObject* TensorCrossing::wrap(AtenTensor tensor) const {
  if (wrap_ == nullptr) return wrap_slowly(std::move(tensor));
  return wrap_(tensor.get());
}

// The function for a single tensor leaks the handle that it takes (in 2.13); the
// one for a list does not.
PyObject* TensorCrossing::wrap_slowly(AtenTensor tensor) const {
  PyObject* capsule = PyCapsule_New(tensor.get(), nullptr, nullptr);
  if (capsule == nullptr) return nullptr;
  PyObject* list =
      PyObject_CallMethod(aoti_, "alloc_tensors_by_stealing_from_void_ptrs", "[N]", capsule);
  if (list == nullptr) return nullptr;
  tensor.release();  // the callee has it now
  PyObject* object = Py_XNewRef(PyList_GetItem(list, 0));
  Py_DECREF(list);
  return object;
}

TensorCrossing TensorCrossing::slow_copy() const {
  TensorCrossing slow = *this;
  slow.slot_offset_ = 0;
  slow.wrap_ = nullptr;
  return slow;
}

}  // namespace nfx
