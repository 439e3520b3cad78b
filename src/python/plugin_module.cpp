#include "python/plugin_module.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "partition/extract.h"
#include "plugin/plugin_backend.h"
#include "python/diagnostic_error.h"
#include "python/plugin_region.h"

namespace nfx::python {
namespace {

class PyPlugin {
 public:
  explicit PyPlugin(const std::string& path) : plugin_(value_or_raise(Plugin::load(path))) {
    for (const nfx_backend* backend : plugin_->backends())
      backends_.push_back(std::make_unique<PluginBackend>(plugin_, backend));
  }

  PyPlugin(const PyPlugin&) = delete;
  PyPlugin& operator=(const PyPlugin&) = delete;

  const Plugin& plugin() const { return *plugin_; }
  const std::vector<std::unique_ptr<PluginBackend>>& backends() const { return backends_; }
  std::vector<std::string> backend_names() const {
    std::vector<std::string> names;
    for (const auto& backend : backends_) names.emplace_back(backend->name());
    return names;
  }

 private:
  std::shared_ptr<Plugin> plugin_;
  std::vector<std::unique_ptr<PluginBackend>> backends_;
};

// One outlining: asks, compiles, replaces, tells.
class Outlining {
 public:
  Outlining(const std::shared_ptr<Graph>& graph, const std::vector<PyPlugin*>& plugins)
      : graph_(graph) {
    for (PyPlugin* plugin : plugins) {
      for (const auto& backend : plugin->backends()) backends_.push_back(backend.get());
    }
    const std::vector<Backend*> asked(backends_.begin(), backends_.end());
    partition_ = partition(*graph, asked, {.functional = true});
  }

  // Regions that do not compile stay where they are. `enter` gives a region its number.
  nb::dict run(const nb::callable& enter) {
    std::vector<bool> wanted;
    std::vector<int64_t> numbers;
    for (const Region& region : partition_.regions) {
      const std::shared_ptr<Graph> inside = extract(*graph_, region);
      PluginBackend& backend = *backends_[static_cast<size_t>(region.backend)];
      auto compiled = backend.compile(inside);
      wanted.push_back(compiled.ok());
      failures_.push_back(compiled ? std::string() : compiled.error().str());
      numbers.push_back(0);
      if (!compiled) continue;
      const PluginRegion made(std::move(*compiled), inside, backend.plugin().path(),
                              std::string(backend.name()));
      numbers.back() = nb::cast<int64_t>(enter(made));
    }
    nb::dict told = report();
    outline(*graph_, partition_, wanted,
            [&](size_t index, std::span<const Node> inputs, Node place) {
              return call_region(numbers[index], partition_.regions[index], inputs, place);
            });
    return told;
  }

 private:
  // nativefx.region(number, [tensors], [integers]) and one getitem an output.
  std::vector<Node> call_region(int64_t number, const Region& region, std::span<const Node> inputs,
                                Node place) {
    Context& context = graph_->context();
    std::vector<Node> tensors, integers;
    for (Node input : inputs) {
      const bool is_tensor = input.type().kind == TypeKind::kTensor;
      (is_tensor ? tensors : integers).push_back(input);
    }
    auto list = [&](size_t count) {
      return context.sequence(ArgKind::kList, std::vector<ArgId>(count, context.hole()));
    };
    const ArgId arguments[] = {context.integer(number), list(tensors.size()),
                               list(integers.size())};
    tensors.insert(tensors.end(), integers.begin(), integers.end());
    std::vector<TypeId> types;
    for (Node output : region.outputs) types.push_back(output.type_id());
    graph_->set_insertion_point(place);
    const Node call = graph_->add(NodeKind::kCallFunction, "nativefx.region.default",
                                  context.call(arguments), tensors, region.name,
                                  context.intern(Type{.kind = TypeKind::kList, .elements = types}));
    std::vector<Node> made;
    for (size_t i = 0; i < region.outputs.size(); ++i) {
      const ArgId index = context.integer(static_cast<int64_t>(i));
      made.push_back(graph_->call("operator.getitem", {call, index}, types[i]));
      graph_->inherit_meta(made.back(), region.outputs[i]);
    }
    graph_->set_insertion_point({});
    return made;
  }

  nb::dict report() const {
    nb::list nodes, regions;
    for (const Node node : graph_->nodes()) {
      if (node.kind() != NodeKind::kPlaceholder && node.kind() != NodeKind::kOutput)
        nodes.append(tell(node));
    }
    for (size_t r = 0; r < partition_.regions.size(); ++r) {
      const Region& region = partition_.regions[r];
      nb::dict told;
      told["name"] = region.name;
      told["backend"] = std::string(backends_[static_cast<size_t>(region.backend)]->name());
      told["nodes"] = region.nodes.size();
      told["inputs"] = region.inputs.size();
      told["outputs"] = region.outputs.size();
      told["failure"] = failures_[r];
      regions.append(told);
    }
    nb::dict told;
    told["nodes"] = nodes;
    told["regions"] = regions;
    return told;
  }

  nb::dict tell(Node node) const {
    const int region = partition_.region_of[node.id().value];
    nb::dict told;
    told["name"] = std::string(node.name());
    told["target"] = std::string(node.target());
    told["region"] =
        region < 0 ? std::string() : partition_.regions[static_cast<size_t>(region)].name;
    told["reasons"] = partition_.refusals[node.id().value];
    return told;
  }

  std::shared_ptr<Graph> graph_;
  std::vector<PluginBackend*> backends_;
  Partition partition_;
  std::vector<std::string> failures_;  // by region
};

nb::dict outline_regions(const std::shared_ptr<Graph>& graph, const std::vector<PyPlugin*>& plugins,
                         const nb::callable& enter) {
  return Outlining(graph, plugins).run(enter);
}

}  // namespace

void bind_plugins(nb::module_& m) {
  nb::class_<PyPlugin>(m, "Plugin", "A shared library that offers backends.")
      .def(nb::init<const std::string&>(), nb::arg("path"))
      .def_prop_ro("path", [](const PyPlugin& self) { return self.plugin().path(); })
      .def_prop_ro("name", [](const PyPlugin& self) { return self.plugin().name(); })
      .def_prop_ro("version", [](const PyPlugin& self) { return self.plugin().version(); })
      .def_prop_ro("backends", &PyPlugin::backend_names, "The names of its backends.");
  nb::class_<PluginRegion>(m, "PluginRegion", "A region that a plug-in has compiled.")
      .def_prop_ro("name", &PluginRegion::name)
      .def_prop_ro("plugin", &PluginRegion::plugin, "The path of the plug-in.")
      .def_prop_ro("backend", &PluginRegion::backend)
      .def_prop_ro("graph", &PluginRegion::graph, "What it computes.")
      .def_prop_ro("tensor_inputs", &PluginRegion::tensor_inputs,
                   "For each input whether it is a tensor; else it is an integer.")
      .def("run", &PluginRegion::run, nb::arg("tensors"), nb::arg("integers"),
           "Run it in the plug-in; raises nativefx.Error if that fails.");
  m.def("outline_regions", &outline_regions, nb::arg("graph"), nb::arg("plugins"), nb::arg("enter"),
        "Ask the plug-ins for each call of a typed graph and replace what they take by calls of "
        "`nativefx::region`, whose first argument is what `enter` gives for the region. Returns "
        "who runs what, as a dict.");
}

}  // namespace nfx::python
