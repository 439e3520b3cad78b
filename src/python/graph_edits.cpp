#include "python/graph_edits.h"

#include "python/callable_name.h"
#include "python/fx_arguments_in.h"

namespace nfx::python {
namespace {

class HandleSource final : public OperandSource {
 public:
  explicit HandleSource(const std::shared_ptr<Graph>& graph) : graph_(graph) {}
  NodeId find(PyObject* node) override {
    return node_in(graph_, *nb::inst_ptr<NodeHandle>(node)).id();
  }

 private:
  const std::shared_ptr<Graph>& graph_;
};

Node optional_node(const std::shared_ptr<Graph>& graph, nb::handle handle) {
  return handle.is_none() ? Node() : node_in(graph, nb::cast<NodeHandle>(handle));
}

}  // namespace

Node node_in(const std::shared_ptr<Graph>& graph, const NodeHandle& handle) {
  if (handle.graph != graph) throw nb::value_error("the node belongs to another graph");
  return handle.node();
}

NodeHandle create_call(const std::shared_ptr<Graph>& graph, nb::handle target, nb::tuple args,
                       nb::dict kwargs, nb::handle before, std::string_view name,
                       nb::handle replaces) {
  Context& context = graph->context();
  HandleSource source(graph);
  auto* node_type = reinterpret_cast<PyTypeObject*>(nb::type<NodeHandle>().ptr());
  ArgumentReader reader(context, node_type, source);
  const ArgId arguments = reader.read_call(args.ptr(), kwargs.ptr());
  std::vector<Node> operands;
  for (const NodeId id : reader.operands()) operands.push_back(graph->node(id));
  const Node replaced = optional_node(graph, replaces);
  const Node position = optional_node(graph, before);

  const bool named = PyUnicode_Check(target.ptr());
  const std::string text = named ? nb::cast<std::string>(target) : callable_name(target);
  graph->set_insertion_point(position ? position : replaced);
  const Node made = graph->add(NodeKind::kCallFunction, text, arguments, operands, name,
                               replaced ? replaced.type_id() : TypeId());
  graph->set_insertion_point({});
  if (!named && context.has_opaque_owner())
    graph->set_target(made, text, context.opaque(target.ptr()));
  if (replaced) graph->inherit_meta(made, replaced);
  return {graph, made.id()};
}

}  // namespace nfx::python
