#include "rewrite/build.h"

#include "ops/op_row.h"

namespace nfx {
namespace {

// Equal for everybody but autograd, whose flag follows from the inputs.
bool same_type(Context& context, TypeId a, TypeId b) {
  if (a == b) return true;
  Type first = context.type(a), second = context.type(b);
  first.requires_grad = second.requires_grad = false;
  return context.intern(first) == context.intern(second);
}

class Builder {
 public:
  explicit Builder(const Match& match) : match_(match), graph_(match.root().graph()) {}

  std::optional<Node> node(const Pattern& pattern) {
    if (pattern.kind == PatternKind::kValue) return match_.value(pattern.name);
    if (pattern.kind != PatternKind::kCall) return std::nullopt;
    if (const Node existing = match_.call(pattern)) return existing;
    std::vector<ArgId> arguments;
    std::vector<Node> operands;
    for (const Pattern& child : pattern.children) {
      if (!argument(child, arguments, operands)) return std::nullopt;
    }
    const ArgId structure = context().call(arguments);
    for (const std::string_view target : pattern.op->targets) {
      if (!accepts(target, arguments)) continue;
      if (const Node made = add(target, structure, operands)) return made;
    }
    return std::nullopt;
  }

 private:
  Context& context() { return graph_.context(); }

  bool argument(const Pattern& child, std::vector<ArgId>& arguments, std::vector<Node>& operands) {
    std::optional<ArgId> constant;
    switch (child.kind) {
      case PatternKind::kNumber: constant = match_.number(child.name).id(); break;
      case PatternKind::kComputed: constant = child.compute(match_); break;
      case PatternKind::kLiteral:
        constant = child.is_integer ? context().integer(static_cast<int64_t>(child.literal))
                                    : context().real(child.literal);
        break;
      default:
        const std::optional<Node> operand = node(child);
        if (!operand) return false;
        operands.push_back(*operand);
        constant = context().hole();
    }
    if (constant) arguments.push_back(*constant);
    return constant.has_value();
  }

  // A known op that takes numbers where numbers are given.
  bool accepts(std::string_view target, const std::vector<ArgId>& arguments) {
    const OpInfo* op = context().op(context().intern(target));
    if (op == nullptr) return false;
    for (size_t i = 0; op->schema != nullptr && i < arguments.size(); ++i) {
      if (i >= op->schema->args.size()) return false;
      const bool wants_tensor = op->schema->args[i].type.kind == SchemaKind::kTensor;
      if (wants_tensor != (context().arg(arguments[i]).kind == ArgKind::kHole)) return false;
    }
    return true;
  }

  Node add(std::string_view target, ArgId structure, const std::vector<Node>& operands) {
    const Node made = graph_.add(NodeKind::kCallFunction, target, structure, operands);
    const OpRow* row = op_row(made);
    if (row != nullptr && row->type) {
      if (const Result<TypeId> type = row->type(made)) {
        graph_.set_type(made, *type);
        return made;
      }
    }
    graph_.erase(made);
    return {};
  }

  const Match& match_;
  Graph& graph_;
};

}  // namespace

std::optional<Built> build_right_side(const Pattern& pattern, const Match& match) {
  Graph& graph = match.root().graph();
  const size_t first_new = graph.id_limit();
  graph.set_insertion_point(match.root());
  const std::optional<Node> node = Builder(match).node(pattern);
  graph.set_insertion_point({});
  const TypeId type = match.root().type_id();
  const bool is_new = node && node->id().value >= first_new;
  const bool fits =
      node && type &&
      (is_new ? same_type(graph.context(), node->type_id(), type) : node->type_id() == type);
  if (!fits) {
    remove_nodes_from(graph, first_new);
    return std::nullopt;
  }
  if (is_new) graph.set_type(*node, type);
  return Built{*node, first_new};
}

void remove_nodes_from(Graph& graph, size_t first) {
  for (size_t id = graph.id_limit(); id-- > first;) {
    if (graph.table().records[id].erased) continue;
    graph.erase(graph.node(NodeId{static_cast<uint32_t>(id)}));
  }
}

}  // namespace nfx
