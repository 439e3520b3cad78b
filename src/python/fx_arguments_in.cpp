#include "python/fx_arguments_in.h"

#include "python/callable_name.h"

namespace nfx::python {
namespace {

// Guards against containers that hold themselves.
class Recursion {
 public:
  Recursion() {
    if (Py_EnterRecursiveCall(" while reading an argument of a node") != 0) {
      nb::raise_python_error();
    }
  }
  ~Recursion() { Py_LeaveRecursiveCall(); }
  Recursion(const Recursion&) = delete;
  Recursion& operator=(const Recursion&) = delete;
};

bool is_named_tuple(PyObject* object) {
  return PyTuple_Check(object) && nb::hasattr(nb::handle(object), "_fields");
}

nb::handle type_of(PyObject* object) { return reinterpret_cast<PyObject*>(Py_TYPE(object)); }

}  // namespace

ArgumentReader::ArgumentReader(Context& context, PyTypeObject* node_type, OperandSource& nodes)
    : context_(context),
      node_type_(node_type),
      nodes_(nodes),
      torch_(TorchObjects::get()),
      symbols_(context),
      devices_(context),
      no_keywords_(context.sequence(ArgKind::kDict, {})) {}

ArgId ArgumentReader::read_call(PyObject* args, PyObject* kwargs) {
  operands_.clear();
  const size_t count = static_cast<size_t>(PyTuple_GET_SIZE(args));
  const bool positional_only = PyDict_GET_SIZE(kwargs) == 0;
  const size_t base = stack_.size();
  for (size_t i = 0; i < count; ++i) stack_.push_back(read(PyTuple_GET_ITEM(args, i)));
  if (positional_only && operands_.size() == count && stack_.size() == base + count) {
    bool nodes_alone = true;
    for (size_t i = 0; i < count; ++i) nodes_alone &= stack_[base + i] == context_.hole();
    if (nodes_alone) {
      if (calls_of_nodes_.size() <= count) calls_of_nodes_.resize(count + 1);
      ArgId& known = calls_of_nodes_[count];
      if (!known) known = context_.call(std::span(stack_).subspan(base));
      stack_.resize(base);
      return known;
    }
  }
  const ArgId positional = close(base, Arg{.kind = ArgKind::kTuple});
  const ArgId keywords = positional_only ? no_keywords_ : read_container(kwargs, ArgKind::kDict);
  const ArgId parts[] = {positional, keywords};
  return context_.sequence(ArgKind::kCall, parts);
}

ArgId ArgumentReader::close(size_t base, Arg structure) {
  structure.children = std::span<const ArgId>(stack_).subspan(base);
  const ArgId id = context_.intern(structure);
  stack_.resize(base);
  return id;
}

ArgId ArgumentReader::read(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (type == node_type_) return read_operand(object);
  if (type == &PyLong_Type) return read_integer(object);
  if (object == Py_None) return context_.none();
  const ArgKind kind = torch_.kind_of(type);
  if (kind == ArgKind::kOpaque) return read_other(object);
  switch (kind) {
    case ArgKind::kTuple:
    case ArgKind::kList:
    case ArgKind::kSize:
    case ArgKind::kDict:
    case ArgKind::kSlice:
    case ArgKind::kRange: return read_container(object, kind);
    default: return read_constant(object, kind);
  }
}

ArgId ArgumentReader::read_integer(PyObject* object) {
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow != 0) return opaque(object);
  if (value < kSmallest || value >= kSmallest + static_cast<int64_t>(small_.size())) {
    return context_.integer(value);
  }
  ArgId& known = small_[static_cast<size_t>(value - kSmallest)];
  if (!known) known = context_.integer(value);
  return known;
}

ArgId ArgumentReader::read_constant(PyObject* object, ArgKind kind) {
  Arg arg{.kind = kind};
  switch (kind) {
    case ArgKind::kBool: return context_.boolean(object == Py_True);
    case ArgKind::kFloat: return context_.real(PyFloat_AS_DOUBLE(object));
    case ArgKind::kString: {
      const auto text = utf8(object);
      return text ? context_.string(*text) : opaque(object);
    }
    case ArgKind::kComplex:
      arg.real = PyComplex_RealAsDouble(object);
      arg.imag = PyComplex_ImagAsDouble(object);
      break;
    case ArgKind::kDtype: {
      const auto dtype = torch_.dtype(object);
      if (!dtype) return opaque(object);
      arg.dtype = *dtype;
      break;
    }
    case ArgKind::kDevice: arg.text = devices_.name(object); break;
    case ArgKind::kLayout:
    case ArgKind::kMemoryFormat: {
      const nb::str name(nb::handle{object});  // "torch.strided"
      arg.text = context_.intern(std::string_view(name.c_str()).substr(sizeof("torch.") - 1));
      break;
    }
    case ArgKind::kSym:
      arg.sym = symbols_.read(object);
      arg.opaque = context_.opaque(object);
      break;
    default: break;  // none and Ellipsis have nothing but their kind
  }
  return context_.intern(arg);
}

ArgId ArgumentReader::read_container(PyObject* object, ArgKind kind) {
  const Recursion guard;
  const size_t base = stack_.size();
  Arg structure{.kind = kind};
  const auto push = [&](PyObject* item) { stack_.push_back(read(item)); };
  if (kind == ArgKind::kList) {
    structure.is_mutable = PyList_CheckExact(object);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(object); ++i) push(PyList_GET_ITEM(object, i));
  } else if (kind == ArgKind::kDict) {
    structure.is_mutable = PyDict_CheckExact(object);
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(object, &at, &key, &value);) {
      push(key);
      push(value);
    }
  } else if (kind == ArgKind::kSlice) {
    const auto* slice = reinterpret_cast<PySliceObject*>(object);
    for (PyObject* part : {slice->start, slice->stop, slice->step}) push(part);
  } else if (kind == ArgKind::kRange) {
    for (const char* part : {"start", "stop", "step"}) {
      push(nb::object(nb::handle(object).attr(part)).ptr());
    }
  } else {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) push(PyTuple_GET_ITEM(object, i));
  }
  return close(base, structure);
}

ArgId ArgumentReader::read_other(PyObject* object) {
  if (PyObject_TypeCheck(object, node_type_)) return read_operand(object);
  if (torch_.is_operator(object)) {
    Arg arg{.kind = ArgKind::kOp, .text = context_.intern(callable_name(object))};
    if (context_.has_opaque_owner()) arg.opaque = context_.opaque(object);
    return context_.intern(arg);
  }
  if (!is_named_tuple(object)) return opaque(object);
  const Recursion guard;
  const size_t base = stack_.size();
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
    stack_.push_back(read(PyTuple_GET_ITEM(object, i)));
  }
  return close(base,
               Arg{.kind = ArgKind::kNamedTuple, .opaque = context_.opaque(type_of(object).ptr())});
}

ArgId ArgumentReader::opaque(PyObject* object) {
  if (!context_.has_opaque_owner()) {
    throw nb::value_error(("a graph that was read from text without handles cannot hold the " +
                           object_label(object) + " object")
                              .c_str());
  }
  return context_.intern(Arg{.kind = ArgKind::kOpaque, .opaque = context_.opaque(object)});
}

}  // namespace nfx::python
