#include "ir/argument_view.h"

#include <cassert>
#include <type_traits>

#include "ir/graph.h"

namespace nfx {
namespace {

ArgumentView root(Node node) { return {node, node.arguments(), 0}; }

// Makes the constant that stands for a default of a schema.
struct DefaultMaker {
  Context& context;

  ArgId operator()(NoneDefault) const { return context.none(); }
  ArgId operator()(bool value) const { return context.boolean(value); }
  ArgId operator()(int64_t value) const { return context.integer(value); }
  ArgId operator()(double value) const { return context.real(value); }
  ArgId operator()(const std::string& value) const { return context.string(value); }
  template <class T>
  ArgId operator()(const std::vector<T>& values) const {
    // A list of booleans is kept as one of bytes.
    using Element = std::conditional_t<std::is_same_v<T, uint8_t>, bool, T>;
    std::vector<ArgId> children;
    for (const T value : values) children.push_back((*this)(static_cast<Element>(value)));
    return context.sequence(ArgKind::kList, children);
  }
};

const Schema* schema_of(Node node) {
  const OpInfo* op = node.op();
  return op != nullptr ? op->schema : nullptr;
}

}  // namespace

const Arg& ArgumentView::arg() const { return owner_.graph().context().arg(id_); }

Node ArgumentView::node() const { return is_node() ? owner_.operand(first_hole_) : Node(); }

std::optional<int64_t> ArgumentView::as_int() const {
  if (!id_ || (kind() != ArgKind::kInt && kind() != ArgKind::kBool)) return std::nullopt;
  return arg().integer;
}

std::optional<double> ArgumentView::as_number() const {
  if (id_ && kind() == ArgKind::kFloat) return arg().real;
  if (const std::optional<int64_t> integer = as_int()) return static_cast<double>(*integer);
  return std::nullopt;
}

size_t ArgumentView::size() const { return id_ ? arg().children.size() : 0; }

ArgumentView ArgumentView::child(size_t index) const {
  const Arg& self = arg();
  assert(index < self.children.size() && "no such child of an argument");
  uint32_t hole = first_hole_;
  if (self.holes != 0) {
    const Context& context = owner_.graph().context();
    for (size_t i = 0; i < index; ++i) hole += context.arg(self.children[i]).holes;
  }
  return {owner_, self.children[index], hole};
}

ArgumentView positional(Node node, size_t index) { return root(node).child(0).child(index); }
size_t num_positional(Node node) { return node.arguments() ? root(node).child(0).size() : 0; }

ArgumentView keyword(Node node, std::string_view name) {
  if (!node.arguments()) return {};
  const ArgumentView keywords = root(node).child(1);
  const Context& context = node.graph().context();
  for (size_t i = 0; i + 1 < keywords.size(); i += 2) {
    if (context.text(context.arg(keywords.arg().children[i]).text) == name) {
      return keywords.child(i + 1);
    }
  }
  return {};
}

ArgumentView argument(Node node, std::string_view name) {
  const Schema* schema = schema_of(node);
  if (schema != nullptr) {
    if (const std::optional<size_t> position = schema->arg_index(name)) {
      return argument(node, *position);
    }
  }
  return keyword(node, name);
}

ArgumentView argument(Node node, size_t schema_position) {
  const Schema* schema = schema_of(node);
  const bool known = schema != nullptr && schema_position < schema->args.size();
  if (schema_position < num_positional(node) &&
      !(known && schema->args[schema_position].kwarg_only)) {
    return positional(node, schema_position);
  }
  if (!known) return {};
  const SchemaArg& formal = schema->args[schema_position];
  if (const ArgumentView given = keyword(node, formal.name)) return given;
  if (!formal.default_value) return {};
  return {node, std::visit(DefaultMaker{node.graph().context()}, *formal.default_value), 0};
}

}  // namespace nfx
