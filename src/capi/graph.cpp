#include <fstream>
#include <iterator>
#include <string>

#include "capi/handles.h"

namespace nfx::capi {
namespace {

struct CannotRead {
  static constexpr std::string_view kCode = "cannot-read";
  std::string path;
  std::string message() const { return "cannot read `" + path + "`"; }
  std::string help() const { return "give the path of a readable file"; }
};
NFX_DIAGNOSTIC(CannotRead);

nfx_status parse_into(nfx_context* context, std::string_view text, std::string_view file,
                      nfx_graph** graph, nfx_diagnostic** diagnostic) {
  nfx::Result<std::unique_ptr<Graph>> parsed = parse(text, context->context, file);
  if (!parsed) return fail(NFX_INVALID, diagnostic, parsed.error());
  *graph = new nfx_graph{std::move(*parsed)};
  return NFX_OK;
}

}  // namespace
}  // namespace nfx::capi

using namespace nfx::capi;

nfx_status nfx_graph_create(nfx_context* context, nfx_string name, nfx_graph** graph) {
  return guarded([&]() -> nfx_status {
    if (context == nullptr || graph == nullptr || !readable(name)) return NFX_BAD_ARGUMENT;
    *graph = new nfx_graph{std::make_shared<nfx::Graph>(context->context, take(name))};
    return NFX_OK;
  });
}

nfx_status nfx_graph_parse(nfx_context* context, nfx_string text, nfx_string file,
                           nfx_graph** graph, nfx_diagnostic** diagnostic) {
  clear(diagnostic);
  return guarded([&]() -> nfx_status {
    if (context == nullptr || graph == nullptr || !readable(text) || !readable(file))
      return NFX_BAD_ARGUMENT;
    return parse_into(context, take(text), take(file), graph, diagnostic);
  });
}

nfx_status nfx_graph_read_file(nfx_context* context, nfx_string path, nfx_graph** graph,
                               nfx_diagnostic** diagnostic) {
  clear(diagnostic);
  return guarded([&]() -> nfx_status {
    if (context == nullptr || graph == nullptr || !readable(path)) return NFX_BAD_ARGUMENT;
    const std::string name(take(path));
    std::ifstream file(name, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file || file.bad())
      return fail(NFX_NOT_FOUND, diagnostic, nfx::diagnose(CannotRead{name}));
    return parse_into(context, text, name, graph, diagnostic);
  });
}

nfx_status nfx_graph_clone(const nfx_graph* graph, nfx_graph** clone) {
  return guarded([&]() -> nfx_status {
    if (graph == nullptr || clone == nullptr) return NFX_BAD_ARGUMENT;
    *clone = new nfx_graph{graph->graph->clone()};
    return NFX_OK;
  });
}

void nfx_graph_free(nfx_graph* graph) { delete graph; }

nfx_status nfx_graph_print(const nfx_graph* graph, char** text, size_t* size) {
  return guarded([&]() -> nfx_status {
    if (graph == nullptr || text == nullptr || size == nullptr) return NFX_BAD_ARGUMENT;
    const std::string printed = print(*graph->graph);
    auto* const copy = new char[printed.size() + 1];
    std::memcpy(copy, printed.c_str(), printed.size() + 1);
    *text = copy;
    *size = printed.size();
    return NFX_OK;
  });
}

void nfx_text_free(char* text) { delete[] text; }

nfx_status nfx_graph_verify(const nfx_graph* graph, nfx_diagnostic** diagnostic) {
  clear(diagnostic);
  return guarded([&]() -> nfx_status {
    if (graph == nullptr) return NFX_BAD_ARGUMENT;
    const nfx::Status status = verify(*graph->graph);
    return status ? NFX_OK : fail(NFX_INVALID, diagnostic, status.error());
  });
}

nfx_status nfx_graph_name(const nfx_graph* graph, nfx_string* name) {
  if (graph == nullptr || name == nullptr) return NFX_BAD_ARGUMENT;
  *name = give(graph->graph->name());
  return NFX_OK;
}

nfx_status nfx_graph_size(const nfx_graph* graph, size_t* num_nodes) {
  if (graph == nullptr || num_nodes == nullptr) return NFX_BAD_ARGUMENT;
  *num_nodes = graph->graph->size();
  return NFX_OK;
}

nfx_status nfx_graph_first(const nfx_graph* graph, nfx_node* node) {
  if (graph == nullptr || node == nullptr) return NFX_BAD_ARGUMENT;
  *node = graph->graph->first().id().value;
  return NFX_OK;
}

nfx_status nfx_graph_find(const nfx_graph* graph, nfx_string name, nfx_node* node) {
  return guarded([&]() -> nfx_status {
    if (graph == nullptr || node == nullptr || !readable(name)) return NFX_BAD_ARGUMENT;
    // The graph's own index of names is brought up to date by a look-up, which
    // readers on other threads must not see: so compare interned names.
    const nfx::StringId wanted = graph->graph->context().find_text(take(name));
    if (!wanted) return NFX_NOT_FOUND;
    for (const nfx::Node found : graph->graph->nodes()) {
      if (graph->graph->table().records[found.id().value].name != wanted) continue;
      *node = found.id().value;
      return NFX_OK;
    }
    return NFX_NOT_FOUND;
  });
}

nfx_status nfx_graph_num_attributes(const nfx_graph* graph, size_t* count) {
  if (graph == nullptr || count == nullptr) return NFX_BAD_ARGUMENT;
  *count = graph->graph->attributes().size();
  return NFX_OK;
}

nfx_status nfx_graph_attribute(const nfx_graph* graph, size_t index, nfx_attribute_info* info) {
  if (graph == nullptr) return NFX_BAD_ARGUMENT;
  const auto& attributes = graph->graph->attributes();
  if (index >= attributes.size()) return NFX_OUT_OF_RANGE;
  const auto& [name, attribute] = *std::next(attributes.begin(), static_cast<ptrdiff_t>(index));
  nfx_attribute_info made{};
  made.is_graph = attribute.subgraph != nullptr;
  made.name = give(name);
  return give(made, info);
}

nfx_status nfx_graph_subgraph(const nfx_graph* graph, nfx_string name, nfx_graph** subgraph) {
  return guarded([&]() -> nfx_status {
    if (graph == nullptr || subgraph == nullptr || !readable(name)) return NFX_BAD_ARGUMENT;
    const auto found = graph->graph->attributes().find(take(name));
    if (found == graph->graph->attributes().end() || found->second.subgraph == nullptr)
      return NFX_NOT_FOUND;
    *subgraph = new nfx_graph{found->second.subgraph};
    return NFX_OK;
  });
}
