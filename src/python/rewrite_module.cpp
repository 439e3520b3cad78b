#include "python/rewrite_module.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "python/diagnostic_error.h"
#include "python/fx_import.h"
#include "python/fx_sync.h"
#include "python/meta_types.h"
#include "python/py_opaque.h"
#include "python/rule_reader.h"
#include "rewrite/driver.h"

namespace nfx::python {
namespace {

using GraphPtr = std::shared_ptr<Graph>;

// Tells a Python function of every application while it lives.
class PythonTrace {
 public:
  explicit PythonTrace(nb::handle sink) {
    if (sink.is_none()) return;
    trace_ = std::make_unique<RuleTrace>(
        [sink = nb::borrow(sink)](const std::string& line) { sink(py_text(line)); });
  }

 private:
  std::unique_ptr<RuleTrace> trace_;
};

size_t rewrite_graph(const GraphPtr& graph, nb::list given, nb::handle trace, bool repeat,
                     bool same_values) {
  RuleReader rules(graph);
  for (const nb::handle rule : given) rules.read(rule);
  if (rules.ask_types()) infer_types_from_meta(*graph);
  PythonHost host(same_values);
  const PythonTrace tracing(trace);
  return value_or_raise(
      apply_subgraph_rules(*graph, rules.rules(), {.host = &host, .repeat = repeat}));
}

nb::tuple rewrite_in_place(nb::handle module, nb::list given, nb::handle trace, bool repeat,
                           bool same_values, bool keep_matches) {
  const GraphPtr graph = import_pattern(new_context(), module, "main");
  RuleReader rules(graph);
  for (const nb::handle rule : given) rules.read(rule);
  if (rules.ask_types()) infer_types_from_meta(*graph);
  PythonHost host(same_values);
  RewriteRecord record(keep_matches);
  size_t applied = 0;
  {
    const PythonTrace tracing(trace);
    applied = value_or_raise(apply_subgraph_rules(
        *graph, rules.rules(), {.host = &host, .listener = &record, .repeat = repeat}));
  }
  nb::list matches;
  if (applied == 0) return nb::make_tuple(applied, matches, nb::list(), nb::list());
  const nb::object fx_graph = module.attr("graph");
  FxSync sync(*graph, fx_graph, nb::list(nb::object(fx_graph.attr("nodes"))));
  sync.run(record);
  const Graph* last = nullptr;
  nb::list pattern_nodes;
  for (const RewriteRecord::Application& match : record.applications()) {
    if (match.pattern != last) pattern_nodes = rules.pattern_nodes(last = match.pattern);
    matches.append(sync.nodes_map(match, pattern_nodes));
  }
  return nb::make_tuple(applied, matches, sync.made(), sync.unknown());
}

nb::list native_rule_sets() {
  nb::list sets;
  for (const TextRuleSet* set : all_text_rules()) {
    sets.append(nb::make_tuple(py_text(set->name), py_text(set->summary)));
  }
  return sets;
}

}  // namespace

void bind_rewriting(nb::module_& m) {
  m.def("rewrite_graph", &rewrite_graph, nb::arg("graph"), nb::arg("rules"),
        nb::arg("trace").none(), nb::arg("repeat"), nb::arg("same_values"),
        "Apply rules to a native graph; returns how often one applied.");
  m.def("rewrite_in_place", &rewrite_in_place, nb::arg("module"), nb::arg("rules"),
        nb::arg("trace").none(), nb::arg("repeat"), nb::arg("same_values"), nb::arg("keep_matches"),
        "Apply rules to the graph of a GraphModule, without generating code. Returns how often "
        "one applied, the matches, the new nodes, and those of them whose value no node had "
        "before.");
  m.def("native_rule_sets", &native_rule_sets, "Names and summaries of the sets of rules.");
}

}  // namespace nfx::python
