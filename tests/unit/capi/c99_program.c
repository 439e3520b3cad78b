/* A program in C99 that uses the interface, called from the tests. It walks a
   graph, replaces `x + x` by `2 * x` and gives the text. */
#include <string.h>

#include "nativefx/nativefx.h"
#include "nativefx/plugin.h"

char* double_instead_of_add(const char* text, nfx_status* status);

static nfx_string str(const char* literal) {
  const nfx_string made = {literal, strlen(literal)};
  return made;
}

static nfx_status replace(nfx_graph* graph, nfx_node node, const nfx_node_info* info) {
  nfx_value arguments[2];
  nfx_node_spec spec;
  nfx_node made;
  nfx_status status;
  memset(arguments, 0, sizeof arguments);
  memset(&spec, 0, sizeof spec);
  arguments[0].kind = NFX_ARG_NODE;
  status = nfx_node_operand(graph, node, 0, &arguments[0].node);
  arguments[1].kind = NFX_ARG_INT;
  arguments[1].integer = 2;
  spec.struct_size = sizeof spec;
  spec.kind = NFX_CALL_FUNCTION;
  spec.target = str("aten.mul.Tensor");
  spec.positional = arguments;
  spec.num_positional = 2;
  spec.type = info->type;
  spec.before = node;
  spec.replaces = node;
  if (status == NFX_OK) status = nfx_node_create(graph, &spec, &made, NULL);
  if (status == NFX_OK) status = nfx_node_replace_uses(graph, node, made, NULL);
  return status == NFX_OK ? nfx_node_erase(graph, node, NULL) : status;
}

static nfx_status rewrite(nfx_graph* graph) {
  nfx_node node;
  nfx_status status = nfx_graph_first(graph, &node);
  while (status == NFX_OK && node != 0) {
    nfx_node_info info;
    nfx_node a = 0, b = 1;
    info.struct_size = sizeof info;
    status = nfx_node_read(graph, node, &info);
    if (status == NFX_OK && info.num_operands == 2 && info.num_positional == 2 &&
        info.target.size == 15 && memcmp(info.target.data, "aten.add.Tensor", 15) == 0) {
      nfx_node_operand(graph, node, 0, &a);
      nfx_node_operand(graph, node, 1, &b);
      if (a == b) status = replace(graph, node, &info);
    }
    node = info.next;
  }
  return status;
}

char* double_instead_of_add(const char* text, nfx_status* status) {
  nfx_context* context = NULL;
  nfx_graph* graph = NULL;
  char* printed = NULL;
  size_t size = 0;
  *status = nfx_context_create(NFX_ABI_VERSION, &context);
  if (*status == NFX_OK) *status = nfx_graph_parse(context, str(text), str("test"), &graph, NULL);
  nfx_context_free(context);
  if (*status == NFX_OK) *status = rewrite(graph);
  if (*status == NFX_OK) *status = nfx_graph_verify(graph, NULL);
  if (*status == NFX_OK) *status = nfx_graph_print(graph, &printed, &size);
  nfx_graph_free(graph);
  return printed;
}
