// Compiled programs as files: the parts of `nativefx.artefact` that are native.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>

#include "compiler/kernel_bundle.h"
#include "compiler/section_file.h"
#include "python/bindings.h"
#include "python/callable_name.h"
#include "python/compiled_object.h"
#include "python/diagnostic_error.h"
#include "python/process_jit.h"
#include "python/py_opaque.h"

namespace nfx::python {
namespace {

struct CannotSave {
  static constexpr std::string_view kCode = "cannot-save";
  std::string node, reason;
  std::string message() const { return "`%" + node + "` cannot be saved: " + reason; }
  std::string help() const { return "make it of operators that are registered by name"; }
};
NFX_DIAGNOSTIC(CannotSave);

// Bytes of a Python object, held while this is alive.
class Buffer {
 public:
  explicit Buffer(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0) nb::raise_python_error();
  }
  ~Buffer() { PyBuffer_Release(&view_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(view_.buf), static_cast<size_t>(view_.len)};
  }

 private:
  Py_buffer view_;
};

bool holds_object(const Context& context, ArgId id) {
  const Arg& arg = context.arg(id);
  switch (arg.kind) {
    case ArgKind::kOpaque:
    case ArgKind::kGraph: return true;
    case ArgKind::kOp:
    case ArgKind::kNamedTuple: return !resolve_callable(context.text(arg.text)).is_valid();
    default: break;
  }
  return std::ranges::any_of(arg.children,
                             [&](ArgId child) { return holds_object(context, child); });
}

// Why a node means nothing in another process; empty if it does.
std::string unsavable(Node node) {
  const Context& context = node.graph().context();
  if (node.kind() == NodeKind::kCallModule) return "it calls a module";
  if (holds_object(context, node.arguments())) return "an argument is an object of this process";
  if (node.kind() != NodeKind::kCallFunction) return {};
  if (node.op() != nullptr && node.op()->schema != nullptr) return {};
  const nb::object object = object_of(context, node.target_object());
  const nb::object found = resolve_callable(node.target());
  const bool same = found.is_valid() && (!object.is_valid() || found.is(object));
  return same ? std::string() : "`" + std::string(node.target()) + "` is known by no name";
}

// The text of a graph that means the same in another process.
std::string portable_text(const Graph& graph) {
  const std::unique_ptr<Graph> copy = graph.clone();
  copy->properties().clear();
  copy->attributes().clear();
  for (const Node node : copy->nodes()) {
    const std::string reason = unsavable(node);
    if (!reason.empty()) {
      const std::string name(node.name());
      raise(diagnose(CannotSave{name, reason}, Place{.node = name}));
    }
    copy->set_target(node, std::string(node.target()));
  }
  return print(*copy, {.meta = false});
}

nb::bytes pack_program_kernels(nb::handle compiled, const std::string& cache, uint64_t limit) {
  const CompiledGraph* graph = compiled_graph_of(compiled);
  if (graph == nullptr) throw nb::type_error("not a compiled graph");
  const std::shared_ptr<Jit> jit = process_jit(cache, limit);
  const std::string packed = pack_kernels(value_or_raise(kernel_objects(graph->plan(), *jit)));
  return nb::bytes(packed.data(), packed.size());
}

void add_program_kernels(nb::handle bytes, const std::string& cache, uint64_t limit) {
  const Buffer buffer(bytes);
  const std::shared_ptr<Jit> jit = process_jit(cache, limit);
  for (KernelObject& object : value_or_raise(unpack_kernels(buffer.bytes()))) {
    jit->add_object(std::move(object));
  }
}

void write_program(const std::string& path, const nb::list& parts) {
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<Section> sections;
  for (const nb::handle part : parts) {
    buffers.push_back(std::make_unique<Buffer>(part[1]));
    sections.push_back({nb::cast<std::string>(part[0]), buffers.back()->bytes()});
  }
  Status status = success();
  {
    const nb::gil_scoped_release unlocked;
    status = write_sections(path, sections);
  }
  value_or_raise(std::move(status));
}

nb::dict read_program(nb::handle file) {
  const Buffer buffer(file);
  nb::dict found;
  for (const Section& section : value_or_raise(read_sections(buffer.bytes()))) {
    const auto offset = static_cast<size_t>(section.bytes.data() - buffer.bytes().data());
    found[section.name.c_str()] = nb::make_tuple(offset, section.bytes.size());
  }
  return found;
}

void check_program(nb::handle file, const std::string& prefix, int threads) {
  const Buffer buffer(file);
  Status status = success();
  {
    const nb::gil_scoped_release unlocked;
    status = check_sections(buffer.bytes(), prefix, threads);
  }
  value_or_raise(std::move(status));
}

nb::tuple generator_identity(const std::string& cache, uint64_t limit) {
  const std::shared_ptr<Jit> jit = process_jit(cache, limit);
  return nb::make_tuple(jit->generator(), jit->target());
}

nb::dict jit_stats(const std::string& cache, uint64_t limit) {
  const JitStats stats = process_jit(cache, limit)->stats();
  nb::dict made;
  made["compiled"] = stats.compiled;
  made["memory_hits"] = stats.memory_hits;
  made["disk_hits"] = stats.disk_hits;
  made["compile_ms"] = stats.compile_ms;
  made["load_ms"] = stats.load_ms;
  return made;
}

}  // namespace

void bind_programs(nb::module_& m) {
  m.def("portable_text", &portable_text, nb::arg("graph"),
        "The text of a graph without objects of this process. Raises `cannot-save`.");
  m.def("pack_kernels", &pack_program_kernels, nb::arg("compiled"), nb::arg("cache"),
        nb::arg("limit"), "The machine code of a compiled graph as bytes.");
  m.def("add_kernels", &add_program_kernels, nb::arg("bytes"), nb::arg("cache"), nb::arg("limit"),
        "Let graphs that are compiled with this cache use packed machine code.");
  m.def("write_program", &write_program, nb::arg("path"), nb::arg("sections"),
        "Write a list of (name, buffer) to a file, atomically.");
  m.def("read_program", &read_program, nb::arg("file"),
        "Offset and size of each section of a mapped file, by name.");
  m.def("check_program", &check_program, nb::arg("file"), nb::arg("prefix"), nb::arg("threads"),
        "Compare sections whose names start with `prefix` with their hashes.");
  m.def("generator_identity", &generator_identity, nb::arg("cache"), nb::arg("limit"),
        "What machine code depends on besides the kernel: generator and target.");
  m.def("jit_stats", &jit_stats, nb::arg("cache"), nb::arg("limit"),
        "How many kernels were compiled and found, by the code generator of a cache.");
}

}  // namespace nfx::python
