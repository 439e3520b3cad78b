#include "python/fx_arguments_out.h"

#include <string>

#include "python/callable_name.h"
#include "python/py_opaque.h"

namespace nfx::python {
namespace {

nb::object call_type(PyTypeObject* type, const nb::object& argument) {
  return nb::handle(reinterpret_cast<PyObject*>(type))(argument);
}

[[noreturn]] void refuse(const std::string& what) { throw nb::value_error(what.c_str()); }

}  // namespace

ArgumentWriter::Call ArgumentWriter::write_call(ArgId call, PyObject* const* operands, bool exact) {
  next_operand_ = operands;
  exact_ = exact;
  const Arg& root = context_.arg(call);
  nb::object args = write(root.children[0]);
  return {std::move(args), write(root.children[1])};
}

bool ArgumentWriter::needs_exact(ArgId call) {
  if (needs_exact_.size() <= call.value) needs_exact_.resize(2 * call.value + 1, -1);
  signed char& known = needs_exact_[call.value];
  if (known < 0) known = holds_unusual(call);
  return known != 0;
}

bool ArgumentWriter::holds_unusual(ArgId id) const {
  const Arg& arg = context_.arg(id);
  if (arg.kind == ArgKind::kSize || arg.is_mutable) return true;
  for (const ArgId child : arg.children) {
    if (holds_unusual(child)) return true;
  }
  return false;
}

nb::object ArgumentWriter::write(ArgId id) {
  const Arg& arg = context_.arg(id);
  if (arg.kind == ArgKind::kHole) return nb::borrow(*next_operand_++);
  if (arg.holes != 0 || exact_) return write_new(arg);
  if (constants_.size() <= id.value) constants_.resize(2 * id.value + 1);
  if (!constants_[id.value].is_valid()) constants_[id.value] = write_new(arg);
  return constants_[id.value];
}

nb::object ArgumentWriter::write_new(const Arg& arg) {
  const std::string_view text = context_.text(arg.text);
  switch (arg.kind) {
    case ArgKind::kNone: return nb::none();
    case ArgKind::kBool: return nb::bool_(arg.integer != 0);
    case ArgKind::kInt: return nb::int_(arg.integer);
    case ArgKind::kFloat: return nb::float_(arg.real);
    case ArgKind::kComplex: return nb::steal(PyComplex_FromDoubles(arg.real, arg.imag));
    case ArgKind::kString: return py_text(text);
    case ArgKind::kEllipsis: return nb::ellipsis();
    case ArgKind::kDtype: return torch_.dtype_object(arg.dtype);
    case ArgKind::kDevice: return torch_.device_type(py_text(text));
    case ArgKind::kLayout:
    case ArgKind::kMemoryFormat: return torch_.singleton(text);
    case ArgKind::kSym: return write_symbol(arg);
    case ArgKind::kDict: return write_dict(arg);
    case ArgKind::kOp: return write_operator(arg);
    case ArgKind::kGraph:
    case ArgKind::kOpaque: return write_opaque(arg);
    default: return write_sequence(arg);
  }
}

nb::object ArgumentWriter::write_sequence(const Arg& arg) {
  const Py_ssize_t count = static_cast<Py_ssize_t>(arg.children.size());
  if (arg.kind == ArgKind::kList) {
    nb::object list = nb::steal(PyList_New(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyList_SET_ITEM(list.ptr(), i, write(arg.children[i]).release().ptr());
    }
    return exact_ && !arg.is_mutable ? call_type(torch_.immutable_list, list) : list;
  }
  nb::object items = nb::steal(PyTuple_New(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyTuple_SET_ITEM(items.ptr(), i, write(arg.children[i]).release().ptr());
  }
  switch (arg.kind) {
    case ArgKind::kSize: return exact_ ? call_type(torch_.size, items) : items;
    case ArgKind::kNamedTuple: return object_of(context_, arg.opaque)(*items);
    case ArgKind::kSlice: return nb::handle(reinterpret_cast<PyObject*>(&PySlice_Type))(*items);
    case ArgKind::kRange: return nb::handle(reinterpret_cast<PyObject*>(&PyRange_Type))(*items);
    default: return items;
  }
}

nb::object ArgumentWriter::write_dict(const Arg& arg) {
  nb::object dict = nb::steal(PyDict_New());
  for (size_t i = 0; i + 1 < arg.children.size(); i += 2) {
    const nb::object key = write(arg.children[i]);
    const nb::object value = write(arg.children[i + 1]);
    if (PyDict_SetItem(dict.ptr(), key.ptr(), value.ptr()) != 0) nb::raise_python_error();
  }
  return exact_ && !arg.is_mutable ? call_type(torch_.immutable_dict, dict) : dict;
}

nb::object ArgumentWriter::write_symbol(const Arg& arg) {
  nb::object number = object_of(context_, arg.opaque);
  return number.is_valid() ? number : make_symbol_(arg.sym);
}

nb::object ArgumentWriter::write_operator(const Arg& arg) {
  nb::object found = object_of(context_, arg.opaque);
  if (!found.is_valid()) found = resolve_callable(context_.text(arg.text));
  if (!found.is_valid()) {
    refuse("no operator is named `" + std::string(context_.text(arg.text)) + "` in this process");
  }
  return found;
}

nb::object ArgumentWriter::write_opaque(const Arg& arg) {
  nb::object found = object_of(context_, arg.opaque);
  if (!found.is_valid()) {
    refuse("the object `" + context_.opaque_label(arg.opaque) +
           "` is not in this process; parse the text with `handles_of` the graph that was printed");
  }
  return found;
}

}  // namespace nfx::python
