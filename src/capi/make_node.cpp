#include <optional>

#include "capi/edit_rules.h"
#include "capi/make_argument.h"
#include "ir/argument_view.h"

namespace nfx::capi {
namespace {

bool is_readable(const nfx_node_spec& spec) {
  return spec.struct_size >= sizeof(nfx_node_spec) && readable(spec.target) &&
         readable(spec.name) && (spec.positional != nullptr || spec.num_positional == 0) &&
         (spec.keywords != nullptr || spec.num_keywords == 0);
}

bool names_nodes_of(const Graph& graph, const nfx_node_spec& spec) {
  return spec.kind >= NFX_PLACEHOLDER && spec.kind <= NFX_OUTPUT && spec.target.size != 0 &&
         is_type(graph, spec.type) && (spec.before == 0 || is_node(graph, spec.before)) &&
         (spec.replaces == 0 || is_node(graph, spec.replaces));
}

// Where a node goes for which no place is given: behind the other placeholders,
// before the output.
Node default_place(const Graph& graph, NodeKind kind) {
  if (kind != NodeKind::kPlaceholder) return graph.output();
  Node place = graph.first();
  while (place && place.kind() == NodeKind::kPlaceholder) place = place.next();
  return place;
}

nfx_status create(Graph& graph, const nfx_node_spec& spec, nfx_node* node,
                  nfx_diagnostic** diagnostic) {
  const auto kind = static_cast<NodeKind>(spec.kind);
  ArgumentMaker maker(graph);
  const Result<ArgId> arguments = maker.call(spec);
  if (!arguments) return fail(NFX_INVALID, diagnostic, arguments.error());
  const Node place = spec.before != 0 ? node_of(graph, spec.before) : default_place(graph, kind);
  const Status allowed = check_place(kind, maker.operands(), place);
  if (!allowed) return fail(NFX_INVALID, diagnostic, allowed.error());
  graph.set_insertion_point(place);
  const Node made = graph.add(kind, take(spec.target), *arguments, maker.operands(),
                              take(spec.name), TypeId{spec.type});
  graph.set_insertion_point({});
  if (spec.replaces != 0) graph.inherit_meta(made, node_of(graph, spec.replaces));
  *node = made.id().value;
  return NFX_OK;
}

// The arguments of a node with one child of the positional tuple, or of the
// keyword dict, in another's place.
class ArgumentEdit {
 public:
  ArgumentEdit(Graph& graph, Node node)
      : graph_(graph), node_(node), root_(node, node.arguments(), 0) {
    for (int part : {0, 1}) {
      const ArgumentView view = root_ ? root_.child(static_cast<size_t>(part)) : ArgumentView();
      for (size_t i = 0; i < view.size(); ++i) children_[part].push_back({view.child(i), {}});
    }
  }

  size_t num_positional() const { return children_[0].size(); }
  void set_positional(size_t index, const nfx_value& value) {
    if (index == children_[0].size()) children_[0].emplace_back();
    children_[0][index].value = &value;
  }
  void set_keyword(std::string_view name, const nfx_value& value) {
    auto& children = children_[1];
    for (size_t i = 0; i + 1 < children.size(); i += 2) {
      if (graph_.context().text(children[i].view.arg().text) == name)
        return void(children[i + 1].value = &value);
    }
    children.push_back({{node_, graph_.context().string(name), 0}, {}});
    children.push_back({{}, &value});
  }

  Status apply() {
    ArgumentMaker maker(graph_);
    std::vector<ArgId> parts[2];
    std::vector<Node> operands;
    for (int part : {0, 1}) {
      for (const Child& child : children_[part]) {
        NFX_ASSIGN(const ArgId id, place(child, maker, operands));
        parts[part].push_back(id);
      }
    }
    for (const Node operand : operands) NFX_TRY(check_use(node_, operand));
    Context& context = graph_.context();
    const ArgId keywords = context.sequence(ArgKind::kDict, parts[1]);
    graph_.set_arguments(node_, context.call(parts[0], keywords), operands);
    return success();
  }

 private:
  struct Child {
    ArgumentView view;                 // as it was
    const nfx_value* value = nullptr;  // what takes its place
  };

  static Result<ArgId> place(const Child& child, ArgumentMaker& maker,
                             std::vector<Node>& operands) {
    if (child.value == nullptr) {
      for (uint32_t i = 0; i < child.view.arg().holes; ++i)
        operands.push_back(child.view.owner().operand(child.view.first_hole() + i));
      return child.view.id();
    }
    NFX_ASSIGN(const ArgId made, maker.make(*child.value));
    operands.insert(operands.end(), maker.operands().begin(), maker.operands().end());
    return made;
  }

  Graph& graph_;
  Node node_;
  ArgumentView root_;
  std::vector<Child> children_[2];
};

nfx_status apply(ArgumentEdit& edit, nfx_diagnostic** diagnostic) {
  const Status status = edit.apply();
  return status ? NFX_OK : fail(NFX_INVALID, diagnostic, status.error());
}

}  // namespace
}  // namespace nfx::capi

using namespace nfx::capi;

nfx_status nfx_node_create(nfx_graph* graph, const nfx_node_spec* spec, nfx_node* node,
                           nfx_diagnostic** diagnostic) {
  clear(diagnostic);
  return guarded([&]() -> nfx_status {
    if (graph == nullptr || spec == nullptr || node == nullptr || !is_readable(*spec) ||
        !names_nodes_of(*graph->graph, *spec))
      return NFX_BAD_ARGUMENT;
    return create(*graph->graph, *spec, node, diagnostic);
  });
}

nfx_status nfx_node_set_positional(nfx_graph* graph, nfx_node node, size_t index,
                                   const nfx_value* value, nfx_diagnostic** diagnostic) {
  clear(diagnostic);
  return guarded([&]() -> nfx_status {
    if (graph == nullptr || value == nullptr || !is_node(*graph->graph, node))
      return NFX_BAD_ARGUMENT;
    ArgumentEdit edit(*graph->graph, node_of(*graph->graph, node));
    if (index > edit.num_positional()) return NFX_OUT_OF_RANGE;
    edit.set_positional(index, *value);
    return apply(edit, diagnostic);
  });
}

nfx_status nfx_node_set_keyword(nfx_graph* graph, nfx_node node, nfx_string name,
                                const nfx_value* value, nfx_diagnostic** diagnostic) {
  clear(diagnostic);
  return guarded([&]() -> nfx_status {
    if (graph == nullptr || value == nullptr || !readable(name) || name.size == 0 ||
        !is_node(*graph->graph, node))
      return NFX_BAD_ARGUMENT;
    ArgumentEdit edit(*graph->graph, node_of(*graph->graph, node));
    edit.set_keyword(take(name), *value);
    return apply(edit, diagnostic);
  });
}
