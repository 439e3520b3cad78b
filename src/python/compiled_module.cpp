#include "python/compiled_module.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "compiler/compile.h"
#include "python/compiled_object.h"
#include "python/diagnostic_error.h"
#include "python/process_jit.h"
#include "python/python_step.h"

namespace nfx::python {
namespace {

struct PyOptions {
  bool kernels = true;
  std::string passes;
  std::string dump;
  std::string cache;
  uint64_t cache_limit = JitOptions().cache_limit;
  std::string name = "graph";
  bool verify = false;
  bool own_memory = false;
  int fuse_limit = -1;
};

nb::object compile_graph(const std::shared_ptr<Graph>& graph, nb::object module, nb::object eager,
                         const PyOptions& py_options) {
  CompileOptions options;
  options.hooks = python_hooks(std::move(module));
  std::shared_ptr<Jit> jit;
  if (py_options.kernels) {
    jit = py_options.dump.empty() ? process_jit(py_options.cache, py_options.cache_limit)
                                  : dumping_jit(py_options.dump);
  }
  options.jit = jit.get();
  options.passes = py_options.passes;
  options.dump_dir = py_options.dump;
  options.name = py_options.name;
  options.verify = py_options.verify;
  options.own_memory = py_options.own_memory;
  options.fuse_limit = py_options.fuse_limit;
  return make_compiled_object(value_or_raise(compile(*graph, options)), std::move(eager));
}

nb::dict node_report(const NodeReport& node) {
  nb::dict made;
  made["name"] = node.name;
  made["target"] = node.target;
  made["runner"] = std::string(runner_name(node.runner));
  made["kernel"] = node.kernel;
  made["reason"] = node.reason;
  made["source"] = node.source;
  return made;
}

nb::object count_or_none(std::optional<int64_t> count) {
  return count ? nb::object(nb::int_(*count)) : nb::object(nb::none());
}

nb::object memory_of(const std::optional<MemoryReport>& memory) {
  if (!memory) return nb::none();
  nb::dict made;
  made["buffers"] = memory->buffers;
  made["bytes"] = memory->bytes;
  made["arena"] = memory->arena;
  made["peak"] = memory->peak;
  return made;
}

nb::dict report_of(nb::handle object) {
  const CompiledGraph* compiled = compiled_graph_of(object);
  if (compiled == nullptr) throw nb::type_error("not a compiled graph");
  const Report& report = compiled->report();
  nb::list nodes, kernels;
  for (const NodeReport& node : report.nodes) nodes.append(node_report(node));
  for (const KernelReport& kernel : report.kernels) {
    nb::dict made;
    nb::list ops;
    for (const std::string& op : kernel.ops) ops.append(op);
    made["name"] = kernel.name;
    made["ops"] = ops;
    made["buffers"] = kernel.buffers;
    made["loops"] = kernel.loops;
    made["bytes"] = count_or_none(kernel.cost.bytes);
    made["flops"] = count_or_none(kernel.cost.flops);
    kernels.append(made);
  }
  nb::dict stages;
  for (const StageReport& stage : report.stages) stages[stage.name.c_str()] = stage.milliseconds;
  nb::dict made;
  made["name"] = report.name;
  made["nodes"] = nodes;
  made["kernels"] = kernels;
  made["stages"] = stages;
  made["steps"] = compiled->plan().steps.size();
  made["memory"] = memory_of(report.memory);
  made["plan"] = reinterpret_cast<uintptr_t>(&compiled->plan());
  return made;
}

}  // namespace

void bind_compiler(nb::module_& m) {
  nb::class_<PyOptions>(m, "CompileOptions", "How a graph is compiled.")
      .def(nb::init<>())
      .def_rw("kernels", &PyOptions::kernels, "Whether loop kernels are generated.")
      .def_rw("passes", &PyOptions::passes, "Names of passes with commas.")
      .def_rw("dump", &PyOptions::dump, "A folder for what each stage makes, or empty.")
      .def_rw("cache", &PyOptions::cache, "A folder for machine code, or empty.")
      .def_rw("cache_limit", &PyOptions::cache_limit, "Bytes that the folder may hold.")
      .def_rw("name", &PyOptions::name)
      .def_rw("fuse_limit", &PyOptions::fuse_limit, "Operators that may be fused; negative: all.")
      .def_rw("own_memory", &PyOptions::own_memory,
              "Whether large intermediates get memory of their own: where inputs die in the run.")
      .def_rw("verify", &PyOptions::verify, "Whether the graph is verified between stages.");
  m.def("compile_graph", &compile_graph, nb::arg("graph"), nb::arg("module").none(),
        nb::arg("eager"), nb::arg("options"),
        "Compile a typed graph, changing it. Gives a callable that takes the list of inputs and "
        "gives the list of outputs; `eager` takes the same list where the plan cannot.");
  m.def("compile_report", &report_of, nb::arg("compiled"),
        "Who runs what in a compiled graph, as a dict.");
}

}  // namespace nfx::python
