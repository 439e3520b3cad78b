#include "plugin/host_table.h"

#include "nativefx/nativefx.h"

namespace nfx {
namespace {

constexpr nfx_host kHost = {
    .struct_size = sizeof(nfx_host),
    .abi_version = nfx_abi_version,
    .dtype_name = nfx_dtype_name,
    .graph_create = nfx_graph_create,
    .graph_parse = nfx_graph_parse,
    .graph_read_file = nfx_graph_read_file,
    .graph_clone = nfx_graph_clone,
    .graph_free = nfx_graph_free,
    .graph_print = nfx_graph_print,
    .text_free = nfx_text_free,
    .graph_verify = nfx_graph_verify,
    .graph_name = nfx_graph_name,
    .graph_size = nfx_graph_size,
    .graph_first = nfx_graph_first,
    .graph_find = nfx_graph_find,
    .graph_num_attributes = nfx_graph_num_attributes,
    .graph_attribute = nfx_graph_attribute,
    .graph_subgraph = nfx_graph_subgraph,
    .node_read = nfx_node_read,
    .node_operand = nfx_node_operand,
    .node_users = nfx_node_users,
    .node_positional = nfx_node_positional,
    .node_keyword = nfx_node_keyword,
    .node_argument = nfx_node_argument,
    .argument_read = nfx_argument_read,
    .argument_child = nfx_argument_child,
    .type_read = nfx_type_read,
    .type_size = nfx_type_size,
    .type_stride = nfx_type_stride,
    .type_element = nfx_type_element,
    .type_tensor = nfx_type_tensor,
    .node_create = nfx_node_create,
    .node_set_operand = nfx_node_set_operand,
    .node_set_positional = nfx_node_set_positional,
    .node_set_keyword = nfx_node_set_keyword,
    .node_set_type = nfx_node_set_type,
    .node_set_name = nfx_node_set_name,
    .node_replace_uses = nfx_node_replace_uses,
    .node_move_before = nfx_node_move_before,
    .node_erase = nfx_node_erase,
    .diagnostic_create = nfx_diagnostic_create,
    .diagnostic_read = nfx_diagnostic_read,
    .diagnostic_free = nfx_diagnostic_free,
    .graph_run_passes = nfx_graph_run_passes,
    .graph_partition = nfx_graph_partition,
    .partition_free = nfx_partition_free,
    .partition_size = nfx_partition_size,
    .partition_region = nfx_partition_region,
    .partition_refusal = nfx_partition_refusal,
    .partition_extract = nfx_partition_extract,
    .graph_split = nfx_graph_split,
    .graph_inline = nfx_graph_inline,
};

}  // namespace

const nfx_host& host_table() { return kHost; }

}  // namespace nfx
