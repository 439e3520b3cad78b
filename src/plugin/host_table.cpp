#include "plugin/host_table.h"

#include "nativefx/nativefx.h"

namespace nfx {

const nfx_host& host_table() {
  static const nfx_host table = [] {
    nfx_host host{};
    host.struct_size = sizeof(nfx_host);
    host.abi_version = nfx_abi_version;
    host.dtype_name = nfx_dtype_name;
    host.graph_create = nfx_graph_create;
    host.graph_parse = nfx_graph_parse;
    host.graph_read_file = nfx_graph_read_file;
    host.graph_clone = nfx_graph_clone;
    host.graph_free = nfx_graph_free;
    host.graph_print = nfx_graph_print;
    host.text_free = nfx_text_free;
    host.graph_verify = nfx_graph_verify;
    host.graph_name = nfx_graph_name;
    host.graph_size = nfx_graph_size;
    host.graph_first = nfx_graph_first;
    host.graph_find = nfx_graph_find;
    host.graph_num_attributes = nfx_graph_num_attributes;
    host.graph_attribute = nfx_graph_attribute;
    host.graph_subgraph = nfx_graph_subgraph;
    host.node_read = nfx_node_read;
    host.node_operand = nfx_node_operand;
    host.node_users = nfx_node_users;
    host.node_positional = nfx_node_positional;
    host.node_keyword = nfx_node_keyword;
    host.node_argument = nfx_node_argument;
    host.argument_read = nfx_argument_read;
    host.argument_child = nfx_argument_child;
    host.type_read = nfx_type_read;
    host.type_size = nfx_type_size;
    host.type_stride = nfx_type_stride;
    host.type_element = nfx_type_element;
    host.type_tensor = nfx_type_tensor;
    host.node_create = nfx_node_create;
    host.node_set_operand = nfx_node_set_operand;
    host.node_set_positional = nfx_node_set_positional;
    host.node_set_keyword = nfx_node_set_keyword;
    host.node_set_type = nfx_node_set_type;
    host.node_set_name = nfx_node_set_name;
    host.node_replace_uses = nfx_node_replace_uses;
    host.node_move_before = nfx_node_move_before;
    host.node_erase = nfx_node_erase;
    host.diagnostic_create = nfx_diagnostic_create;
    host.diagnostic_read = nfx_diagnostic_read;
    host.diagnostic_free = nfx_diagnostic_free;
    return host;
  }();
  return table;
}

}  // namespace nfx
