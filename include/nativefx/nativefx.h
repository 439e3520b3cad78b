// Graphs of PyTorch for programs that are not Python. C99, links with
// libnativefx.so alone.
//
// - Every function that can fail returns a status. Bad input gives a status, never
//   a crash: null pointers, nodes of no graph, indices beyond the end. Only a
//   handle that was freed, or was never made, must not be passed.
// - `nfx_diagnostic** diagnostic` may be null. After a failure it is set to what
//   happened, or to null where the status says everything; free it.
// - Outputs are written on success only.
// - Threads: one writer of a graph at a time; any number of readers while nobody
//   writes. Functions that take `const nfx_graph*` read. A context may be used by
//   all threads at once. Handles may be freed on any thread.
#ifndef NATIVEFX_NATIVEFX_H
#define NATIVEFX_NATIVEFX_H
#include "nativefx/info.h"
#include "nativefx/types.h"

#define NFX_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

NFX_API uint32_t nfx_abi_version(void);
NFX_API nfx_string nfx_dtype_name(nfx_dtype dtype);  // "float32"; empty if there is none

// ---- contexts and graphs. A graph keeps its context alive.
NFX_API nfx_status nfx_context_create(uint32_t abi_version, nfx_context** context);
NFX_API void nfx_context_free(nfx_context* context);
NFX_API nfx_status nfx_graph_create(nfx_context* context, nfx_string name, nfx_graph** graph);
// Reads the text form; `file` is the name for diagnostics.
NFX_API nfx_status nfx_graph_parse(nfx_context* context, nfx_string text, nfx_string file,
                                   nfx_graph** graph, nfx_diagnostic** diagnostic);
NFX_API nfx_status nfx_graph_read_file(nfx_context* context, nfx_string path, nfx_graph** graph,
                                       nfx_diagnostic** diagnostic);
NFX_API nfx_status nfx_graph_clone(const nfx_graph* graph, nfx_graph** clone);
NFX_API void nfx_graph_free(nfx_graph* graph);
// The text form, NUL-terminated, to be given to nfx_text_free.
NFX_API nfx_status nfx_graph_print(const nfx_graph* graph, char** text, size_t* size);
NFX_API void nfx_text_free(char* text);
NFX_API nfx_status nfx_graph_verify(const nfx_graph* graph, nfx_diagnostic** diagnostic);

// ---- reading a graph
NFX_API nfx_status nfx_graph_name(const nfx_graph* graph, nfx_string* name);
NFX_API nfx_status nfx_graph_size(const nfx_graph* graph, size_t* num_nodes);
NFX_API nfx_status nfx_graph_first(const nfx_graph* graph, nfx_node* node);  // 0: it is empty
NFX_API nfx_status nfx_graph_find(const nfx_graph* graph, nfx_string name, nfx_node* node);
// What get_attr and call_module nodes name, in the order of the names.
NFX_API nfx_status nfx_graph_num_attributes(const nfx_graph* graph, size_t* count);
NFX_API nfx_status nfx_graph_attribute(const nfx_graph* graph, size_t index,
                                       nfx_attribute_info* info);
// A handle of its own, to be freed; the graph behind it is shared.
NFX_API nfx_status nfx_graph_subgraph(const nfx_graph* graph, nfx_string name,
                                      nfx_graph** subgraph);

// ---- reading nodes and arguments
NFX_API nfx_status nfx_node_read(const nfx_graph* graph, nfx_node node, nfx_node_info* info);
NFX_API nfx_status nfx_node_operand(const nfx_graph* graph, nfx_node node, size_t index,
                                    nfx_node* operand);
// Each user once, in the order of their first use. Writes up to `capacity`, and
// to `count` how many there are.
NFX_API nfx_status nfx_node_users(const nfx_graph* graph, nfx_node node, nfx_node* users,
                                  size_t capacity, size_t* count);
NFX_API nfx_status nfx_node_positional(const nfx_graph* graph, nfx_node node, size_t index,
                                       nfx_argument* argument);
NFX_API nfx_status nfx_node_keyword(const nfx_graph* graph, nfx_node node, size_t index,
                                    nfx_string* name, nfx_argument* argument);
// By the name in the op's schema, however it was given, defaults filled in.
NFX_API nfx_status nfx_node_argument(const nfx_graph* graph, nfx_node node, nfx_string name,
                                     nfx_argument* argument);
NFX_API nfx_status nfx_argument_read(const nfx_graph* graph, nfx_argument argument,
                                     nfx_argument_info* info);
NFX_API nfx_status nfx_argument_child(const nfx_graph* graph, nfx_argument argument, size_t index,
                                      nfx_argument* child);

// ---- types
NFX_API nfx_status nfx_type_read(const nfx_graph* graph, nfx_type type, nfx_type_info* info);
NFX_API nfx_status nfx_type_size(const nfx_graph* graph, nfx_type type, size_t dimension,
                                 nfx_number* size);
NFX_API nfx_status nfx_type_stride(const nfx_graph* graph, nfx_type type, size_t dimension,
                                   nfx_number* stride);  // in elements
NFX_API nfx_status nfx_type_element(const nfx_graph* graph, nfx_type type, size_t index,
                                    nfx_type* element);
// A dense row-major tensor; sizes are expressions: "4", "s0", "2*s0 + 1".
NFX_API nfx_status nfx_type_tensor(const nfx_graph* graph, nfx_dtype dtype, const nfx_string* sizes,
                                   size_t rank, nfx_string device, nfx_type* type);

// ---- changing. A failed call changes nothing.
NFX_API nfx_status nfx_node_create(nfx_graph* graph, const nfx_node_spec* spec, nfx_node* node,
                                   nfx_diagnostic** diagnostic);
NFX_API nfx_status nfx_node_set_operand(nfx_graph* graph, nfx_node node, size_t index,
                                        nfx_node value, nfx_diagnostic** diagnostic);
// Replaces an argument, or appends one at the position behind the last.
NFX_API nfx_status nfx_node_set_positional(nfx_graph* graph, nfx_node node, size_t index,
                                           const nfx_value* value, nfx_diagnostic** diagnostic);
NFX_API nfx_status nfx_node_set_keyword(nfx_graph* graph, nfx_node node, nfx_string name,
                                        const nfx_value* value, nfx_diagnostic** diagnostic);
NFX_API nfx_status nfx_node_set_type(nfx_graph* graph, nfx_node node, nfx_type type);
NFX_API nfx_status nfx_node_set_name(nfx_graph* graph, nfx_node node, nfx_string name);
// A use by `with` itself stays. `with` must stand before every other user.
NFX_API nfx_status nfx_node_replace_uses(nfx_graph* graph, nfx_node node, nfx_node with,
                                         nfx_diagnostic** diagnostic);
NFX_API nfx_status nfx_node_move_before(nfx_graph* graph, nfx_node node, nfx_node other,
                                        nfx_diagnostic** diagnostic);
NFX_API nfx_status nfx_node_erase(nfx_graph* graph, nfx_node node, nfx_diagnostic** diagnostic);

// ---- passes: names with commas, "dce,cse", or "default", which runs until nothing
// changes. After a failure the graph may be changed, and is right.
NFX_API nfx_status nfx_graph_run_passes(nfx_graph* graph, nfx_string names,
                                        nfx_diagnostic** diagnostic);

// ---- regions. A partition belongs to the graph as it was when it was made.
// Asks the supporters for each call, in order of priority: the first yes gets it.
// Null options are the defaults.
NFX_API nfx_status nfx_graph_partition(const nfx_graph* graph,
                                       const nfx_supporter* const* supporters,
                                       size_t num_supporters, const nfx_partition_options* options,
                                       nfx_partition** partition, nfx_diagnostic** diagnostic);
NFX_API void nfx_partition_free(nfx_partition* partition);
NFX_API nfx_status nfx_partition_size(const nfx_partition* partition, size_t* num_regions);
// Regions come in an order in which they can run.
NFX_API nfx_status nfx_partition_region(const nfx_partition* partition, size_t index,
                                        nfx_region_info* info);
// Why nobody, or nobody of higher priority, took a node: "npu: no float64"; lines.
NFX_API nfx_status nfx_partition_refusal(const nfx_partition* partition, nfx_node node,
                                         nfx_string* reasons);
// A graph of its own with the region's nodes: placeholders for its inputs, an
// output that is the tuple of its outputs.
NFX_API nfx_status nfx_partition_extract(const nfx_partition* partition, size_t index,
                                         nfx_graph** region);
// Each region becomes a subgraph of its name and a call_module node; the
// partition remembers how the nodes stood. Only once for a partition.
NFX_API nfx_status nfx_graph_split(nfx_graph* graph, nfx_partition* partition,
                                   nfx_diagnostic** diagnostic);
// Puts the nodes of called subgraphs in the place of the calls. With the partition
// by which the graph was split it becomes what it was; null: any graph.
NFX_API nfx_status nfx_graph_inline(nfx_graph* graph, const nfx_partition* partition,
                                    nfx_diagnostic** diagnostic);

// ---- diagnostics
NFX_API nfx_diagnostic* nfx_diagnostic_create(nfx_string code, nfx_string message, nfx_string help);
NFX_API nfx_status nfx_diagnostic_read(const nfx_diagnostic* diagnostic, nfx_diagnostic_info* info);
NFX_API void nfx_diagnostic_free(nfx_diagnostic* diagnostic);

#ifdef __cplusplus
}
#endif
#endif  // NATIVEFX_NATIVEFX_H
