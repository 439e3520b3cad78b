#include "python/rule_reader.h"

#include "python/diagnostic_error.h"
#include "python/fx_arguments_out.h"
#include "python/fx_import.h"
#include "python/node_handle.h"
#include "python/py_opaque.h"
#include "python/type_description.h"

namespace nfx::python {
namespace {

nb::object attribute_of(Node node) {
  const auto& attributes = node.graph().attributes();
  const auto found = attributes.find(node.target());
  if (found == attributes.end()) return {};
  return object_of(node.graph().context(), found->second.object);
}

nb::object value_of(const std::shared_ptr<Graph>& graph, const SubgraphMatch& match, Node node) {
  if (const Node found = match.node(node)) return nb::cast(NodeHandle{graph, found.id()});
  const ArgumentView given = match.value(node);
  if (!given) return nb::none();
  Context& context = graph->context();
  std::vector<nb::object> operands;
  std::vector<PyObject*> pointers;
  for (uint32_t i = 0; i < given.arg().holes; ++i) {
    const NodeId id = given.owner().operand(given.first_hole() + i).id();
    pointers.push_back(operands.emplace_back(nb::cast(NodeHandle{graph, id})).ptr());
  }
  const ArgId only[] = {given.id()};
  ArgumentWriter writer(context, [&](SymExprId expr) { return describe(context, expr); });
  return writer.write_call(context.call(only), pointers.data(), true).args[0];
}

// A Python condition as a native one: it gets what the nodes of the pattern matched.
std::function<bool(const SubgraphMatch&)> condition(std::shared_ptr<Graph> graph,
                                                    nb::object where) {
  return [graph = std::move(graph), where = std::move(where)](const SubgraphMatch& match) {
    nb::dict values;
    for (const Node node : match.pattern().graph().nodes()) {
      if (node.kind() == NodeKind::kOutput) continue;
      values[py_text(node.name())] = value_of(graph, match, node);
    }
    const nb::object told = where(values);
    const int truth = PyObject_IsTrue(told.ptr());
    if (truth < 0) nb::raise_python_error();
    return truth != 0;
  };
}

}  // namespace

void RuleReader::read(nb::handle rule) {
  if (!PyUnicode_Check(rule.ptr())) return read_pair(rule);
  const std::string name = nb::str(rule).c_str();
  const TextRuleSet* set = find_text_rules(name);
  if (set == nullptr) throw nb::key_error(name.c_str());
  bound_.push_back(value_or_raise(BoundRules::bind(*set, *graph_)));
  const auto& rules = bound_.back().rules();
  rules_.insert(rules_.end(), rules.begin(), rules.end());
}

void RuleReader::read_pair(nb::handle rule) {
  const std::string name = nb::str(nb::object(rule[0])).c_str();
  const nb::object pattern = rule[1], replacement = rule[2], where = rule[3];
  sides_.push_back(import_pattern(graph_->context_ptr(), pattern, name));
  sides_.push_back(import_pattern(graph_->context_ptr(), replacement, name));
  SubgraphRule made{.name = name,
                    .pattern = sides_.end()[-2].get(),
                    .replacement = sides_.back().get(),
                    .where = nullptr,
                    .commutes = nb::cast<bool>(rule[4])};
  if (!where.is_none()) made.where = condition(graph_, where);
  patterns_.emplace_back(made.pattern, pattern);
  rules_.push_back(std::move(made));
}

nb::list RuleReader::pattern_nodes(const Graph* pattern) const {
  for (const auto& [graph, module] : patterns_) {
    if (graph == pattern) return nb::list(nb::object(module.attr("graph").attr("nodes")));
  }
  return {};
}

bool PythonHost::same_attribute(Node pattern, Node node) {
  const nb::object wanted = attribute_of(pattern), found = attribute_of(node);
  if (!wanted.is_valid() || !found.is_valid()) return pattern.target() == node.target();
  if (wanted.is(found)) return true;
  if (Py_TYPE(wanted.ptr()) != Py_TYPE(found.ptr())) return false;
  if (!PyObject_TypeCheck(wanted.ptr(), TorchObjects::get().tensor)) return false;
  if (!same_values_) return true;
  return nb::cast<bool>(
      nb::module_::import_("nativefx.rewritten_module").attr("equal")(wanted, found));
}

bool PythonHost::module_writes(Node node) {
  const nb::object module = attribute_of(node);
  return module.is_valid() && nb::getattr(module, "inplace", nb::none()).is(nb::bool_(true));
}

}  // namespace nfx::python
