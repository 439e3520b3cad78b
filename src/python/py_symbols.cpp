#include "python/py_symbols.h"

#include "python/torch_objects.h"

namespace nfx::python {
namespace {

// A finite sympy integer, or `otherwise` for an infinity or what does not fit.
int64_t finite_or(nb::handle bound, int64_t otherwise) {
  if (!nb::cast<bool>(nb::bool_(nb::getattr(bound, "is_Integer", nb::bool_(false))))) {
    return otherwise;
  }
  int overflow = 0;
  const nb::object value = nb::steal(PyNumber_Long(bound.ptr()));
  if (!value.is_valid()) nb::raise_python_error();
  const int64_t integer = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  return overflow != 0 ? otherwise : integer;
}

// sympy answers True, False or None; a symbol that denies to be an integer is a float.
SymKind kind_of(nb::handle sympy_symbol) {
  const nb::object is_integer = nb::getattr(sympy_symbol, "is_integer", nb::none());
  return is_integer.is(nb::handle(Py_False)) ? SymKind::kFloat : SymKind::kInt;
}

nb::object lookup(nb::handle shape_env, std::initializer_list<const char*> tables, nb::handle key) {
  for (const char* table : tables) {
    const nb::object facts = nb::getattr(shape_env, table, nb::none());
    if (!PyDict_Check(facts.ptr())) continue;
    if (PyObject* value = PyDict_GetItemWithError(facts.ptr(), key.ptr())) return nb::borrow(value);
  }
  return {};
}

std::string text_of(nb::handle object) { return nb::str(object).c_str(); }

}  // namespace

SymExprId SymbolReader::read(PyObject* number) {
  const nb::object node = nb::getattr(nb::handle(number), "node");
  const nb::object raw = nb::getattr(node, "_expr", nb::none());
  if (raw.is_none()) return parse_sym(context_, text_of(number));  // a node of C++: nested ints
  if (const auto found = known_.find(raw.ptr()); found != known_.end()) return found->second;
  const SymExprId id = read_expression(node);
  known_.emplace(raw.ptr(), id);
  kept_.push_back(raw);
  return id;
}

SymExprId SymbolReader::read_size(PyObject* size) {
  if (PyLong_Check(size)) return sym_int(context_, PyLong_AsLongLong(size));
  return read(size);
}

SymExprId SymbolReader::read_expression(nb::handle node) {
  const nb::object expression = node.attr("expr");  // with what the ShapeEnv has learnt
  if (nb::hasattr(expression, "free_symbols")) {
    declare_symbols(expression, nb::getattr(node, "shape_env", nb::none()));
  }
  return parse_sym(context_, text_of(expression));
}

void SymbolReader::declare_symbols(nb::handle expression, nb::handle shape_env) {
  const nb::list symbols(nb::object(expression.attr("free_symbols")));
  for (nb::handle symbol : symbols) {
    if (known_.contains(symbol.ptr())) continue;
    const SymExprId id = sym_symbol(context_, text_of(symbol), kind_of(symbol));
    set_facts(id, symbol, shape_env);
    known_.emplace(symbol.ptr(), id);
    kept_.push_back(nb::borrow(symbol));
  }
}

void SymbolReader::set_facts(SymExprId symbol, nb::handle key, nb::handle shape_env) {
  const nb::object range = lookup(shape_env, {"var_to_range"}, key);
  if (range.is_valid() && kind_of(key) == SymKind::kInt) {
    set_symbol_range(
        context_, symbol,
        {finite_or(range.attr("lower"), INT64_MIN), finite_or(range.attr("upper"), INT64_MAX)});
  }
  const nb::object hint = lookup(shape_env, {"backed_var_to_val", "var_to_val"}, key);
  if (!hint.is_valid()) return;
  if (const int64_t value = finite_or(hint, INT64_MIN); value != INT64_MIN) {
    set_symbol_hint(context_, symbol, value);
  }
}

StringId DeviceNames::name(PyObject* device) {
  if (PyObject* known = PyDict_GetItemWithError(known_.ptr(), device)) {
    return {static_cast<uint32_t>(PyLong_AsUnsignedLong(known))};
  }
  const StringId id = context_.intern(text_of(device));
  known_[nb::handle(device)] = nb::int_(id.value);
  return id;
}

}  // namespace nfx::python
