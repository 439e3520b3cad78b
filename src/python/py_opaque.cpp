#include "python/py_opaque.h"

#include "python/callable_name.h"
#include "python/running_ops.h"

namespace nfx::python {
namespace {

// Whether Python code may still run. A Context can outlive the interpreter when
// a plan or a thread holds it; then its objects are already gone.
bool interpreter_runs() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsInitialized() && !Py_IsFinalizing();
#else
  return Py_IsInitialized() && !_Py_IsFinalizing();
#endif
}

class PythonOwner final : public OpaqueOwner {
 public:
  void retain(void* object) override {
    if (PyGILState_Check()) return Py_INCREF(static_cast<PyObject*>(object));
    const nb::gil_scoped_acquire lock;
    Py_INCREF(static_cast<PyObject*>(object));
  }

  void release(void* object) override {
    if (!interpreter_runs()) return;
    if (PyGILState_Check()) return Py_DECREF(static_cast<PyObject*>(object));
    const nb::gil_scoped_acquire lock;
    Py_DECREF(static_cast<PyObject*>(object));
  }

  std::string label(void* object) override {
    if (!interpreter_runs()) return {};
    const nb::gil_scoped_acquire lock;
    return object_label(nb::handle(static_cast<PyObject*>(object)));
  }
};

}  // namespace

OpaqueOwner& python_owner() {
  static auto* const owner = new PythonOwner;  // contexts may die after static destructors
  return *owner;
}

std::shared_ptr<Context> new_context() {
  return std::make_shared<Context>(&running_ops(), &python_owner());
}

}  // namespace nfx::python
