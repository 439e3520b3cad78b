// The functions of nativefx.h as a table, so that a plug-in links with nothing.
// Each does what the function of that name there does.
#ifndef NATIVEFX_HOST_H
#define NATIVEFX_HOST_H
#include "nativefx/info.h"
#include "nativefx/types.h"

typedef struct nfx_host {
  uint32_t struct_size;
  uint32_t reserved;
  uint32_t (*abi_version)(void);
  nfx_string (*dtype_name)(nfx_dtype dtype);
  nfx_status (*graph_create)(nfx_context* context, nfx_string name, nfx_graph** graph);
  nfx_status (*graph_parse)(nfx_context* context, nfx_string text, nfx_string file,
                            nfx_graph** graph, nfx_diagnostic** diagnostic);
  nfx_status (*graph_read_file)(nfx_context* context, nfx_string path, nfx_graph** graph,
                                nfx_diagnostic** diagnostic);
  nfx_status (*graph_clone)(const nfx_graph* graph, nfx_graph** clone);
  void (*graph_free)(nfx_graph* graph);
  nfx_status (*graph_print)(const nfx_graph* graph, char** text, size_t* size);
  void (*text_free)(char* text);
  nfx_status (*graph_verify)(const nfx_graph* graph, nfx_diagnostic** diagnostic);
  nfx_status (*graph_name)(const nfx_graph* graph, nfx_string* name);
  nfx_status (*graph_size)(const nfx_graph* graph, size_t* num_nodes);
  nfx_status (*graph_first)(const nfx_graph* graph, nfx_node* node);
  nfx_status (*graph_find)(const nfx_graph* graph, nfx_string name, nfx_node* node);
  nfx_status (*graph_num_attributes)(const nfx_graph* graph, size_t* count);
  nfx_status (*graph_attribute)(const nfx_graph* graph, size_t index, nfx_attribute_info* info);
  nfx_status (*graph_subgraph)(const nfx_graph* graph, nfx_string name, nfx_graph** subgraph);
  nfx_status (*node_read)(const nfx_graph* graph, nfx_node node, nfx_node_info* info);
  nfx_status (*node_operand)(const nfx_graph* graph, nfx_node node, size_t index,
                             nfx_node* operand);
  nfx_status (*node_users)(const nfx_graph* graph, nfx_node node, nfx_node* users, size_t capacity,
                           size_t* count);
  nfx_status (*node_positional)(const nfx_graph* graph, nfx_node node, size_t index,
                                nfx_argument* argument);
  nfx_status (*node_keyword)(const nfx_graph* graph, nfx_node node, size_t index, nfx_string* name,
                             nfx_argument* argument);
  nfx_status (*node_argument)(const nfx_graph* graph, nfx_node node, nfx_string name,
                              nfx_argument* argument);
  nfx_status (*argument_read)(const nfx_graph* graph, nfx_argument argument,
                              nfx_argument_info* info);
  nfx_status (*argument_child)(const nfx_graph* graph, nfx_argument argument, size_t index,
                               nfx_argument* child);
  nfx_status (*type_read)(const nfx_graph* graph, nfx_type type, nfx_type_info* info);
  nfx_status (*type_size)(const nfx_graph* graph, nfx_type type, size_t dimension,
                          nfx_number* size);
  nfx_status (*type_stride)(const nfx_graph* graph, nfx_type type, size_t dimension,
                            nfx_number* stride);
  nfx_status (*type_element)(const nfx_graph* graph, nfx_type type, size_t index,
                             nfx_type* element);
  nfx_status (*type_tensor)(const nfx_graph* graph, nfx_dtype dtype, const nfx_string* sizes,
                            size_t rank, nfx_string device, nfx_type* type);
  nfx_status (*node_create)(nfx_graph* graph, const nfx_node_spec* spec, nfx_node* node,
                            nfx_diagnostic** diagnostic);
  nfx_status (*node_set_operand)(nfx_graph* graph, nfx_node node, size_t index, nfx_node value,
                                 nfx_diagnostic** diagnostic);
  nfx_status (*node_set_positional)(nfx_graph* graph, nfx_node node, size_t index,
                                    const nfx_value* value, nfx_diagnostic** diagnostic);
  nfx_status (*node_set_keyword)(nfx_graph* graph, nfx_node node, nfx_string name,
                                 const nfx_value* value, nfx_diagnostic** diagnostic);
  nfx_status (*node_set_type)(nfx_graph* graph, nfx_node node, nfx_type type);
  nfx_status (*node_set_name)(nfx_graph* graph, nfx_node node, nfx_string name);
  nfx_status (*node_replace_uses)(nfx_graph* graph, nfx_node node, nfx_node with,
                                  nfx_diagnostic** diagnostic);
  nfx_status (*node_move_before)(nfx_graph* graph, nfx_node node, nfx_node other,
                                 nfx_diagnostic** diagnostic);
  nfx_status (*node_erase)(nfx_graph* graph, nfx_node node, nfx_diagnostic** diagnostic);
  nfx_diagnostic* (*diagnostic_create)(nfx_string code, nfx_string message, nfx_string help);
  nfx_status (*diagnostic_read)(const nfx_diagnostic* diagnostic, nfx_diagnostic_info* info);
  void (*diagnostic_free)(nfx_diagnostic* diagnostic);
  nfx_status (*graph_run_passes)(nfx_graph* graph, nfx_string names, nfx_diagnostic** diagnostic);
  nfx_status (*graph_partition)(const nfx_graph* graph, const nfx_supporter* const* supporters,
                                size_t num_supporters, const nfx_partition_options* options,
                                nfx_partition** partition, nfx_diagnostic** diagnostic);
  void (*partition_free)(nfx_partition* partition);
  nfx_status (*partition_size)(const nfx_partition* partition, size_t* num_regions);
  nfx_status (*partition_region)(const nfx_partition* partition, size_t index,
                                 nfx_region_info* info);
  nfx_status (*partition_refusal)(const nfx_partition* partition, nfx_node node,
                                  nfx_string* reasons);
  nfx_status (*partition_extract)(const nfx_partition* partition, size_t index, nfx_graph** region);
  nfx_status (*graph_split)(nfx_graph* graph, nfx_partition* partition,
                            nfx_diagnostic** diagnostic);
  nfx_status (*graph_inline)(nfx_graph* graph, const nfx_partition* partition,
                             nfx_diagnostic** diagnostic);
} nfx_host;

#endif  // NATIVEFX_HOST_H
