#include "python/compiled_object.h"

#include <structmember.h>

#include <array>
#include <bit>
#include <new>

#include "python/python_step.h"
#include "python/tensor_crossing.h"
#include "runtime/memory_pool.h"

namespace nfx::python {
namespace {

struct CompiledObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* dict;
  PyObject* weak_references;
  CompiledGraph* compiled;
  const TensorCrossing* crossing;
  PyObject* eager;
};

// Room for the inputs and outputs of most graphs without an allocation.
template <class T>
class Room {
 public:
  explicit Room(size_t size) {
    if (size > kInline) many_.resize(size);
    items_ = {size > kInline ? many_.data() : few_.data(), size};
  }
  std::span<T> items() { return items_; }
  T& operator[](size_t i) { return items_[i]; }

 private:
  static constexpr size_t kInline = 48;
  std::array<T, kInline> few_{};
  std::vector<T> many_;
  std::span<T> items_;
};

// References to the inputs, let go of when the call ends.
class Held {
 public:
  explicit Held(size_t size) : objects_(size) {}
  ~Held() {
    for (PyObject* object : objects_.items()) Py_XDECREF(object);
  }
  PyObject*& operator[](size_t i) { return objects_[i]; }

 private:
  Room<PyObject*> objects_;
};

// How many dispatch modes are active on this thread.
PyObject* mode_count_function() {
  static PyObject* const function =
      nb::object(nb::module_::import_("torch").attr("_C").attr("_len_torch_dispatch_stack"))
          .release()
          .ptr();
  return function;
}

// Whether some mode must see every operator of this call. AOTAutograd's own
// check of custom operators, active in the first call, need not.
bool mode_is_active() {
  const nb::object count = nb::steal(PyObject_CallNoArgs(mode_count_function()));
  if (!count.is_valid()) nb::raise_python_error();
  if (PyLong_AsLong(count.ptr()) == 0) return false;
  return nb::cast<bool>(nb::module_::import_("nativefx.training").attr("foreign_mode_is_active")());
}

int64_t number_of(const PlanInput& input, PyObject* object) {
  if (input.kind == PlanInput::Kind::kFloat) {
    return std::bit_cast<int64_t>(PyFloat_AsDouble(object));
  }
  return PyLong_AsLongLong(object);
}

// False if the eager path must take this call.
bool take_input(const TensorCrossing& crossing, const PlanInput& input, PyObject* object,
                RunInput& place, AtenTensor& keep) {
  switch (input.kind) {
    case PlanInput::Kind::kUnused: return true;
    case PlanInput::Kind::kTensor:
      if (!crossing.is_plain(object)) return false;
      place.tensor = crossing.borrow(object, keep);
      if (place.tensor == nullptr) nb::raise_python_error();
      return true;
    default:
      place.number = number_of(input, object);
      if (place.number != -1 || PyErr_Occurred() == nullptr) return true;
      PyErr_Clear();
      return false;
  }
}

// A tensor that only the boxed list holds dies when the list is emptied, so the
// run becomes its owner. Worth it only where the memory is large.
void take_over(PyObject* object, RunInput& input) {
  if (input.tensor == nullptr || Py_REFCNT(object) != 1) return;
  if (AtenView(input.tensor).storage_bytes() < MemoryPool::kSmallest) return;
  input.owner = AtenTensor::share(input.tensor);
  input.tensor = input.owner.get();  // the borrowed one goes with the object
}

PyObject* wrap_output(const TensorCrossing& crossing, const PlanOutput& output, RunOutput& value) {
  switch (output.kind) {
    case PlanOutput::Kind::kNone: return Py_NewRef(Py_None);
    case PlanOutput::Kind::kInt: return PyLong_FromLongLong(value.number);
    case PlanOutput::Kind::kBool: return PyBool_FromLong(value.number != 0);
    case PlanOutput::Kind::kFloat: return PyFloat_FromDouble(std::bit_cast<double>(value.number));
    default:
      if (!value.tensor) return Py_NewRef(Py_None);
      return crossing.wrap(std::move(value.tensor));
  }
}

PyObject* wrap_outputs(const CompiledObject& self, std::span<RunOutput> outputs) {
  const Plan& plan = self.compiled->plan();
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(outputs.size()));
  for (size_t i = 0; list != nullptr && i < outputs.size(); ++i) {
    PyObject* object = wrap_output(*self.crossing, plan.outputs[i], outputs[i]);
    if (object == nullptr) {
      Py_DECREF(list);
      return nullptr;
    }
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), object);
  }
  return list;
}

// Takes the inputs out of the boxed list, so that the caller no longer keeps them.
void empty(PyObject* boxed) {
  if (PyList_CheckExact(boxed)) PyList_SetSlice(boxed, 0, PyList_GET_SIZE(boxed), nullptr);
}

// What a call was given: one list, or the inputs one by one.
struct Given {
  PyObject* boxed;  // null: one by one
  PyObject* const* items;
  size_t count;
};

// The way of PyTorch: the same inputs to the eager callable, which takes a list.
PyObject* run_eagerly(const CompiledObject& self, const Given& given) {
  if (given.boxed != nullptr) return PyObject_CallOneArg(self.eager, given.boxed);
  const nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(given.count)));
  if (!list.is_valid()) nb::raise_python_error();
  for (size_t i = 0; i < given.count; ++i) {
    PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i), Py_NewRef(given.items[i]));
  }
  return PyObject_CallOneArg(self.eager, list.ptr());
}

PyObject* run(CompiledObject& self, const Given& given) {
  const Plan& plan = self.compiled->plan();
  const size_t count = given.count;
  bool native = count == plan.inputs.size() && !mode_is_active();
  Room<RunInput> inputs(count);
  std::vector<AtenTensor> kept(self.crossing->borrows_fast() ? 0 : count);
  AtenTensor none;
  for (size_t i = 0; native && i < count; ++i) {
    AtenTensor& keep = kept.empty() ? none : kept[i];
    native = take_input(*self.crossing, plan.inputs[i], given.items[i], inputs[i], keep);
  }
  if (!native) return run_eagerly(self, given);
  // A caller that gives inputs one by one holds them until the call returns.
  Held held(given.boxed == nullptr ? 0 : count);
  if (given.boxed != nullptr) {
    for (size_t i = 0; i < count; ++i) {
      take_over(given.items[i], inputs[i]);
      if (!inputs[i].owner) held[i] = Py_NewRef(given.items[i]);
    }
    empty(given.boxed);
  }
  Room<RunOutput> outputs(plan.outputs.size());
  PyThreadState* thread = PyEval_SaveThread();
  const Status status = self.compiled->run(inputs.items(), outputs.items());
  PyEval_RestoreThread(thread);
  if (!status) raise_run_failure(status.error());
  return wrap_outputs(self, outputs.items());
}

Given given_of(PyObject* const* args, size_t count) {
  const bool boxed = count == 1 && (PyList_Check(args[0]) || PyTuple_Check(args[0]));
  if (!boxed) return {nullptr, args, count};
  return {args[0], PySequence_Fast_ITEMS(args[0]),
          static_cast<size_t>(PySequence_Fast_GET_SIZE(args[0]))};
}

PyObject* vectorcall(PyObject* object, PyObject* const* args, size_t flags, PyObject* names) {
  auto& self = *reinterpret_cast<CompiledObject*>(object);
  if (names != nullptr) {
    PyErr_SetString(PyExc_TypeError, "a compiled graph takes no keywords");
    return nullptr;
  }
  try {
    return run(self, given_of(args, static_cast<size_t>(PyVectorcall_NARGS(flags))));
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

int traverse(PyObject* object, visitproc visit, void* arg) {
  auto* self = reinterpret_cast<CompiledObject*>(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->dict);
  Py_VISIT(self->eager);
  return 0;
}

int clear(PyObject* object) {
  auto* self = reinterpret_cast<CompiledObject*>(object);
  Py_CLEAR(self->dict);
  Py_CLEAR(self->eager);
  return 0;
}

void deallocate(PyObject* object) {
  auto* self = reinterpret_cast<CompiledObject*>(object);
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (self->weak_references != nullptr) PyObject_ClearWeakRefs(object);
  clear(object);
  delete self->compiled;
  type->tp_free(object);
  Py_DECREF(type);
}

PyTypeObject* compiled_type() {
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(CompiledObject, vectorcall), READONLY, nullptr},
      {"__dictoffset__", T_PYSSIZET, offsetof(CompiledObject, dict), READONLY, nullptr},
      {"__weaklistoffset__", T_PYSSIZET, offsetof(CompiledObject, weak_references), READONLY,
       nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  static PyGetSetDef properties[] = {
      {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>("A compiled graph: takes the list of its inputs.")},
      {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
      {Py_tp_members, members},
      {Py_tp_getset, properties},
      {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
      {Py_tp_clear, reinterpret_cast<void*>(clear)},
      {Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
      {0, nullptr}};
  static PyType_Spec spec = {"nativefx._core.CompiledGraph", sizeof(CompiledObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                                 Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             slots};
  static auto* const type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (type == nullptr) nb::raise_python_error();
  return type;
}

}  // namespace

nb::object make_compiled_object(CompiledGraph compiled, nb::object eager) {
  const Result<const TensorCrossing*> crossing = TensorCrossing::get();
  if (!crossing) throw std::runtime_error(crossing.error().str());
  PyTypeObject* type = compiled_type();
  PyObject* made = type->tp_alloc(type, 0);
  if (made == nullptr) nb::raise_python_error();
  auto* self = reinterpret_cast<CompiledObject*>(made);
  self->vectorcall = vectorcall;
  self->crossing = *crossing;
  self->compiled = new CompiledGraph(std::move(compiled));
  self->eager = eager.release().ptr();
  nb::object object = nb::steal(made);
  object.attr("_boxed_call") = true;
  return object;
}

const CompiledGraph* compiled_graph_of(nb::handle object) {
  if (Py_TYPE(object.ptr()) != compiled_type()) return nullptr;
  return reinterpret_cast<CompiledObject*>(object.ptr())->compiled;
}

}  // namespace nfx::python
