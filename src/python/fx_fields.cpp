#include "python/fx_fields.h"

#include <structmember.h>

namespace nfx::python {
namespace {

constexpr std::array<const char*, kFxFieldCount> kNames = {
    "_next", "name", "op", "target", "type", "_args", "_kwargs", "users", "_repr_fn", "meta"};

const FxFields* probed = nullptr;
const FxFields* forced_slow = nullptr;

// Interned, for the slow way.
nb::handle name_of(size_t field) {
  static std::array<PyObject*, kFxFieldCount> names{};
  if (names[field] == nullptr) names[field] = PyUnicode_InternFromString(kNames[field]);
  return names[field];
}

// The offset that the member descriptor of the C base type tells, or -1.
Py_ssize_t described_offset(nb::handle node_base, size_t field) {
  const nb::object descriptor = node_base.attr("__dict__").attr("get")(kNames[field]);
  if (Py_TYPE(descriptor.ptr()) != &PyMemberDescr_Type) return -1;
  const PyMemberDef* member = reinterpret_cast<PyMemberDescrObject*>(descriptor.ptr())->d_member;
  return member->type == T_OBJECT || member->type == T_OBJECT_EX ? member->offset : -1;
}

// A graph in which every field has a value of its own.
nb::object probe_graph() {
  const nb::module_ fx = nb::module_::import_("torch.fx");
  nb::object graph = fx.attr("Graph")();
  nb::object x =
      graph.attr("placeholder")("x", nb::handle(reinterpret_cast<PyObject*>(&PyLong_Type)));
  nb::object y = graph.attr("call_method")("neg", nb::make_tuple(x), nb::dict());
  y.attr("meta")["probe"] = 1;
  graph.attr("output")(nb::make_tuple(y, x));
  return graph;
}

}  // namespace

FxFields::FxFields() {
  offsets_.fill(-1);
  const nb::object node_base = nb::module_::import_("torch.fx.node").attr("_NodeBase");
  const nb::object graph = probe_graph();
  for (size_t field = 0; field < kFxFieldCount; ++field) {
    offsets_[field] = described_offset(node_base, field);
    if (offsets_[field] >= 0 && !confirmed(graph.ptr(), field)) offsets_[field] = -1;
  }
}

bool FxFields::confirmed(PyObject* graph, size_t field) const {
  const nb::list nodes(nb::object(nb::handle(graph).attr("nodes")));
  for (size_t i = 0; i < nodes.size(); ++i) {
    const nb::object node = nodes[i];
    const nb::object seen = read(node.ptr(), static_cast<FxField>(field));
    if (!seen.is(node.attr(kNames[field]))) return false;
  }
  return true;
}

nb::object FxFields::read_slowly(PyObject* node, FxField field) const {
  PyObject* value = PyObject_GetAttr(node, name_of(static_cast<size_t>(field)).ptr());
  if (value == nullptr) nb::raise_python_error();
  return nb::steal(value);
}

std::vector<std::string> FxFields::slow_fields() const {
  std::vector<std::string> names;
  for (size_t field = 0; field < kFxFieldCount; ++field) {
    if (offsets_[field] < 0) names.emplace_back(kNames[field]);
  }
  return names;
}

// No function-local static: its guard, held while Python runs, could deadlock
// with a thread that holds the interpreter. Two probes at once are harmless.
const FxFields& FxFields::get() {
  if (forced_slow != nullptr) return *forced_slow;
  if (probed == nullptr) probed = new FxFields;
  return *probed;
}

void FxFields::force_slow(bool slow) {
  forced_slow = nullptr;
  if (!slow) return;
  auto* fields = new FxFields;
  fields->offsets_.fill(-1);
  forced_slow = fields;
}

}  // namespace nfx::python
