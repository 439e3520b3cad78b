#include "python/partition_module.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "partition/split.h"
#include "python/diagnostic_error.h"

namespace nb = nanobind;

namespace nfx::python {
namespace {

using GraphPtr = std::shared_ptr<Graph>;
using PyArrangement = std::vector<std::pair<std::string, std::vector<std::string>>>;

// Asks a function of Python: node name to None for yes, or the reason for no.
class PySupporter final : public Backend {
 public:
  PySupporter(std::string name, nb::callable asked)
      : name_(std::move(name)), asked_(std::move(asked)) {}
  std::string_view name() const override { return name_; }
  Support supports(Node node) override {
    const nb::object answer = asked_(nb::str(node.name().data(), node.name().size()));
    if (answer.is_none()) return {true, {}};
    return {false, nb::cast<std::string>(answer)};
  }

 private:
  std::string name_;
  nb::callable asked_;
};

PyArrangement to_python(const NodeArrangement& arrangement) {
  PyArrangement made;
  for (const auto& entry : arrangement.entries) made.emplace_back(entry.name, entry.users);
  return made;
}

NodeArrangement from_python(const PyArrangement& given) {
  NodeArrangement made;
  for (const auto& [name, users] : given) made.entries.push_back({name, users});
  return made;
}

nb::tuple split_graph(const GraphPtr& graph,
                      const std::vector<std::pair<std::string, nb::callable>>& supporters,
                      bool connected_only, size_t min_nodes) {
  std::vector<std::unique_ptr<PySupporter>> asked;
  std::vector<Backend*> backends;
  for (const auto& [name, function] : supporters) {
    backends.push_back(asked.emplace_back(std::make_unique<PySupporter>(name, function)).get());
  }
  const Partition divided =
      partition(*graph, backends, {.connected_only = connected_only, .min_nodes = min_nodes});
  nb::dict refusals;
  for (const Node node : graph->nodes()) {
    const auto& reasons = divided.refusals[node.id().value];
    if (!reasons.empty()) refusals[nb::str(node.name().data(), node.name().size())] = reasons;
  }
  std::vector<std::string> regions;
  for (const Region& region : divided.regions) regions.push_back(region.name);
  return nb::make_tuple(to_python(split(*graph, divided)), regions, refusals);
}

}  // namespace

void bind_partition(nb::module_& m) {
  m.def("split_graph", &split_graph, nb::arg("graph"), nb::arg("supporters"),
        nb::arg("connected_only"), nb::arg("min_nodes"),
        "Make regions of a graph into calls of subgraphs. `supporters` are pairs of a name and a "
        "function from a node's name to None, or to the reason why it is not supported. Returns "
        "how the nodes stood, the names of the regions, and the reasons by node.");
  m.def(
      "inline_calls",
      [](const GraphPtr& graph, const PyArrangement& arrangement) {
        value_or_raise(inline_calls(*graph, from_python(arrangement)));
      },
      nb::arg("graph"), nb::arg("arrangement"),
      "Put the nodes of called subgraphs in the place of the calls.");
}

}  // namespace nfx::python
