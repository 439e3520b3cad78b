// Tensors between Python and native code, without copies and without DLPack.
//
// The fast ways rest on two facts of the running PyTorch that are probed at the
// first use: at which offset a tensor object keeps its native tensor, and that
// libtorch_python exports the function that wraps a native tensor. Where a probe
// fails, the documented functions of `torch._C._aoti` do the same, slower.
#pragma once
#include <nanobind/nanobind.h>

#include "runtime/aten_tensor.h"

namespace nfx {

class TensorCrossing {
 public:
  // The probed crossing of this process. Needs the interpreter lock.
  // Errors: `no-pytorch`, `pytorch-abi`.
  static Result<const TensorCrossing*> get();

  // Whether `object` is exactly a `torch.Tensor` or a `Parameter`. Others
  // (subclasses, fake tensors) may mean something else than their memory.
  bool is_plain(PyObject* object) const {
    return Py_TYPE(object) == tensor_type_ || Py_TYPE(object) == parameter_type_;
  }
  bool is_tensor(PyObject* object) const {
    return is_plain(object) || PyType_IsSubtype(Py_TYPE(object), tensor_type_) != 0;
  }

  // The native tensor of a tensor object, borrowed from the object. On the slow
  // way `keep` owns it; otherwise `keep` is left alone.
  //
  // A tensor whose only owner is its object takes the interpreter lock whenever
  // a second owner comes or goes. So before letting the lock go, become the
  // second owner (`AtenTensor::share`) of every tensor that calls will use.
  AtenHandle borrow(PyObject* tensor, AtenTensor& keep) const {
    if (slot_offset_ == 0) return borrow_slowly(tensor, keep);
    return reinterpret_cast<AtenHandle>(reinterpret_cast<char*>(tensor) + slot_offset_);
  }

  // A tensor object of a native tensor, a new reference. The same object if the
  // tensor has one. Null with a Python error set on failure.
  PyObject* wrap(AtenTensor tensor) const;

  // Which ways are in use, for reports: true is the fast one.
  bool borrows_fast() const { return slot_offset_ != 0; }
  bool wraps_fast() const { return wrap_ != nullptr; }

  // Forces the documented slow ways, for tests.
  TensorCrossing slow_copy() const;

 private:
  AtenHandle borrow_slowly(PyObject* tensor, AtenTensor& keep) const;
  PyObject* wrap_slowly(AtenTensor tensor) const;
  void probe_slot(nanobind::handle torch);
  void probe_wrap(nanobind::handle torch);
  void probe_pool(nanobind::handle torch) const;

  PyTypeObject* tensor_type_ = nullptr;
  PyTypeObject* parameter_type_ = nullptr;
  PyObject* aoti_ = nullptr;  // torch._C._aoti
  size_t slot_offset_ = 0;    // 0: not found
  PyObject* (*wrap_)(AtenHandle) = nullptr;
};

}  // namespace nfx
