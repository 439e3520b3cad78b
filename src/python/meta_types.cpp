#include "python/meta_types.h"

#include <array>
#include <optional>
#include <utility>

#include "ir/argument_view.h"
#include "python/node_meta.h"

namespace nfx::python {
namespace {

constexpr std::array<std::pair<const char*, Layout>, 8> kLayouts = {{
    {"torch.strided", Layout::kStrided},
    {"torch.sparse_coo", Layout::kSparseCoo},
    {"torch.sparse_csr", Layout::kSparseCsr},
    {"torch.sparse_csc", Layout::kSparseCsc},
    {"torch.sparse_bsr", Layout::kSparseBsr},
    {"torch.sparse_bsc", Layout::kSparseBsc},
    {"torch._mkldnn", Layout::kMkldnn},
    {"torch.jagged", Layout::kJagged},
}};

// Attribute names as interned strings, made once.
struct AttributeNames {
  PyObject* shape = PyUnicode_InternFromString("shape");
  PyObject* stride = PyUnicode_InternFromString("stride");
  PyObject* storage_offset = PyUnicode_InternFromString("storage_offset");
  PyObject* dtype = PyUnicode_InternFromString("dtype");
  PyObject* layout = PyUnicode_InternFromString("layout");
  PyObject* requires_grad = PyUnicode_InternFromString("requires_grad");
  PyObject* device = PyUnicode_InternFromString("device");
  PyObject* fake_device = PyUnicode_InternFromString("fake_device");
  PyObject* val = PyUnicode_InternFromString("val");
  PyObject* example_value = PyUnicode_InternFromString("example_value");
};
const AttributeNames& names() {
  static const AttributeNames made;
  return made;
}

nb::object attribute(nb::handle object, PyObject* name) {
  PyObject* value = PyObject_GetAttr(object.ptr(), name);
  if (value == nullptr) nb::raise_python_error();
  return nb::steal(value);
}

// The result of a method without arguments; null if it raises, as tensors
// without storage do.
nb::object ask(nb::handle object, PyObject* method) {
  PyObject* value = PyObject_CallMethodNoArgs(object.ptr(), method);
  if (value == nullptr) PyErr_Clear();
  return nb::steal(value);
}

bool is_wrapper_subclass(nb::handle type) { return nb::hasattr(type, "__tensor_flatten__"); }

}  // namespace

TypeReader::Shape TypeReader::shape_of(PyTypeObject* type) {
  const auto [known, added] = shapes_.try_emplace(type, Shape::kOther);
  if (!added) return known->second;
  const nb::handle handle(reinterpret_cast<PyObject*>(type));
  if (PyType_IsSubtype(type, torch_.tensor) && !is_wrapper_subclass(handle)) {
    known->second =
        PyType_IsSubtype(type, torch_.fake_tensor) ? Shape::kFakeTensor : Shape::kTensor;
  }
  return known->second;
}

TypeId TypeReader::read(PyObject* value) {
  if (value == Py_None) return context_.intern(Type{.kind = TypeKind::kNone});
  const Shape shape = shape_of(Py_TYPE(value));
  if (shape != Shape::kOther) return read_tensor(value, shape == Shape::kFakeTensor);
  if (PyTuple_Check(value)) return read_elements(value, TypeKind::kTuple);
  if (PyList_Check(value)) return read_elements(value, TypeKind::kList);
  return read_scalar(value);
}

TypeId TypeReader::read_tensor(nb::handle tensor, bool fake) {
  Type type{.kind = TypeKind::kTensor};
  const auto dtype = torch_.dtype(attribute(tensor, names().dtype).ptr());
  if (!dtype) return context_.intern(Type{.kind = TypeKind::kOpaque});
  type.dtype = *dtype;
  // The `device` of a FakeTensor is a call into Python; its `fake_device` is a field.
  type.device = devices_.name(attribute(tensor, fake ? names().fake_device : names().device).ptr());
  type.requires_grad = attribute(tensor, names().requires_grad).is(nb::handle(Py_True));
  read_sizes(attribute(tensor, names().shape), sizes_);
  type.sizes = sizes_;
  read_layout(tensor, type);
  return context_.intern(type);
}

void TypeReader::read_layout(nb::handle tensor, Type& type) {
  const nb::object layout = attribute(tensor, names().layout);
  if (layouts_.empty()) {
    for (const auto& [name, value] : kLayouts) {
      const std::string_view text = std::string_view(name).substr(sizeof("torch.") - 1);
      layouts_.emplace(torch_.singleton(text).ptr(), value);
    }
  }
  if (const auto known = layouts_.find(layout.ptr()); known != layouts_.end()) {
    type.layout = known->second;
  }
  if (type.layout != Layout::kStrided) return;
  if (const nb::object strides = ask(tensor, names().stride); strides.is_valid()) {
    read_sizes(strides, strides_);
    type.strides = strides_;
  }
  const nb::object offset = ask(tensor, names().storage_offset);
  if (!offset.is_valid()) return;
  const SymExprId expr = symbols_.read_size(offset.ptr());
  if (as_int(context_, expr) != 0) type.storage_offset = expr;
}

void TypeReader::read_sizes(nb::handle sizes, std::vector<SymExprId>& out) {
  out.clear();
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(sizes.ptr()); ++i) {
    out.push_back(symbols_.read_size(PyTuple_GET_ITEM(sizes.ptr(), i)));
  }
}

TypeId TypeReader::read_elements(PyObject* items, TypeKind kind) {
  std::vector<TypeId> elements;
  const nb::object sequence = nb::steal(PySequence_Fast(items, "a sequence"));
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence.ptr()); ++i) {
    elements.push_back(read(PySequence_Fast_GET_ITEM(sequence.ptr(), i)));
  }
  return context_.intern(Type{.kind = kind, .elements = elements});
}

TypeId TypeReader::read_scalar(PyObject* value) {
  Type type{.kind = TypeKind::kScalar, .dtype = Dtype::kInt64};
  int overflow = 0;
  if (PyBool_Check(value)) {
    type.dtype = Dtype::kBool;
    type.expr = sym_bool(context_, value == Py_True);
  } else if (PyLong_CheckExact(value)) {
    const int64_t integer = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow != 0) return context_.intern(Type{.kind = TypeKind::kOpaque});
    type.expr = sym_int(context_, integer);
  } else if (PyFloat_CheckExact(value)) {
    type.dtype = Dtype::kFloat64;
    type.expr = sym_float(context_, PyFloat_AS_DOUBLE(value));
  } else if (torch_.kind_of(Py_TYPE(value)) == ArgKind::kSym) {
    const std::string_view name = Py_TYPE(value)->tp_name;
    if (name.ends_with("Float")) type.dtype = Dtype::kFloat64;
    if (name.ends_with("Bool")) type.dtype = Dtype::kBool;
    type.expr = symbols_.read(value);
  } else {
    return context_.intern(Type{.kind = TypeKind::kOpaque});
  }
  return context_.intern(type);
}

namespace {

PyObject* value_in(nb::handle meta) {
  if (!meta.is_valid() || !PyDict_Check(meta.ptr())) return nullptr;
  if (PyObject* value = PyDict_GetItemWithError(meta.ptr(), names().val)) return value;
  return PyDict_GetItemWithError(meta.ptr(), names().example_value);
}

// PyTorch gives no value to some higher-order calls whose results are tuples. If
// elements are all that is taken of one, they tell its type.
TypeId type_of_elements(Graph& graph, Node node) {
  std::vector<TypeId> elements;
  for (const Use use : graph.uses(node)) {
    const Node user = graph.node(use.user);
    const bool takes = user.target().ends_with("operator.getitem") && num_positional(user) == 2 &&
                       user.num_operands() == 1 && user.type_id();
    const std::optional<int64_t> index = takes ? positional(user, 1).as_int() : std::nullopt;
    if (!index || *index < 0 || *index > UINT8_MAX) return {};
    const auto place = static_cast<size_t>(*index);
    if (elements.size() <= place) elements.resize(place + 1);
    elements[place] = user.type_id();
  }
  if (elements.empty()) return {};
  return graph.context().intern(Type{.kind = TypeKind::kTuple, .elements = elements});
}

size_t infer_tuples(Graph& graph) {
  size_t count = 0;
  for (const Node node : graph.nodes()) {
    const bool is_plain = node.kind() == NodeKind::kCallFunction && !node.type_id() &&
                          node.target().starts_with("higher_order.");
    const TypeId type = is_plain ? type_of_elements(graph, node) : TypeId();
    if (!type) continue;
    graph.set_type(node, type);
    ++count;
  }
  return count;
}

size_t infer_types(Graph& graph, TypeReader& reader) {
  size_t count = 0;
  for (const Node node : graph.nodes()) {
    if (graph.meta(node).derived) continue;  // its `meta` belongs to another node
    const nb::object meta = meta_dict(graph, node);
    PyObject* value = value_in(meta);
    if (value == nullptr) continue;
    graph.set_type(node, reader.read(value));
    ++count;
  }
  count += infer_tuples(graph);
  for (auto& [name, attribute] : graph.attributes()) {
    if (attribute.subgraph != nullptr) count += infer_types(*attribute.subgraph, reader);
  }
  return count;
}

}  // namespace

size_t infer_types_from_meta(Graph& graph) {
  TypeReader reader(graph.context());
  return infer_types(graph, reader);
}

}  // namespace nfx::python
