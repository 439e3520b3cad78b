// The smallest backend: claims `x + y` on float32 tensors of the CPU and runs it,
// whatever the strides and the broadcasting. One file to copy.
#include <stdlib.h>
#include <string.h>

#include "nativefx/plugin.h"

#define MAX_RANK 16

static const nfx_host* host;

static nfx_string text(const char* literal) {
  const nfx_string made = {literal, strlen(literal)};
  return made;
}

static int same(nfx_string a, const char* b) {
  return a.size == strlen(b) && memcmp(a.data, b, a.size) == 0;
}

static nfx_status fail(nfx_status status, const char* message, nfx_diagnostic** diagnostic) {
  *diagnostic = host->diagnostic_create(text("null-failed"), text(message), text(""));
  return status;
}

// ---- what it claims

static int is_plain(const nfx_graph* graph, nfx_type type) {
  nfx_type_info info = {.struct_size = sizeof info};
  if (host->type_read(graph, type, &info) != NFX_OK) return 0;
  return info.kind == NFX_TYPE_TENSOR && info.dtype == NFX_FLOAT32 && info.rank <= MAX_RANK &&
         same(info.device, "cpu") && same(info.layout, "strided");
}

static int is_one(const nfx_graph* graph, nfx_node node, const char* name) {
  nfx_argument argument;
  nfx_argument_info info = {.struct_size = sizeof info};
  if (host->node_argument(graph, node, text(name), &argument) == NFX_NOT_FOUND) return 1;
  return host->argument_read(graph, argument, &info) == NFX_OK &&
         ((info.kind == NFX_ARG_INT && info.integer == 1) ||
          (info.kind == NFX_ARG_FLOAT && info.real == 1.0));
}

static const char* refusal(const nfx_graph* graph, nfx_node node) {
  nfx_node_info info = {.struct_size = sizeof info},
                operand_info = {.struct_size = sizeof operand_info};
  if (host->node_read(graph, node, &info) != NFX_OK) return "the node cannot be read";
  if (info.kind != NFX_CALL_FUNCTION || !same(info.target, "aten.add.Tensor"))
    return "it is no addition of tensors";
  if (info.num_operands != 2) return "an operand is a number";
  if (!is_one(graph, node, "alpha")) return "alpha is not 1";
  if (!is_plain(graph, info.type)) return "the result is not a float32 tensor on the CPU";
  for (size_t i = 0; i < 2; ++i) {
    nfx_node operand;
    if (host->node_operand(graph, node, i, &operand) != NFX_OK ||
        host->node_read(graph, operand, &operand_info) != NFX_OK ||
        !is_plain(graph, operand_info.type))
      return "an operand is not a float32 tensor on the CPU";
  }
  return NULL;
}

static nfx_status supports(void* state, const nfx_graph* graph, nfx_node node, nfx_support* answer,
                           nfx_diagnostic** diagnostic) {
  (void)state, (void)diagnostic;
  const char* reason = refusal(graph, node);
  answer->yes = reason == NULL;
  if (reason != NULL) answer->reason = text(reason);
  return NFX_OK;
}

// ---- compiling: values get numbers, inputs first, then one for each addition

typedef struct program {
  size_t num_inputs, num_values, num_outputs;
  size_t (*operands)[2];  // by value, of additions
  size_t* output_of;      // by value: its place among the outputs, or SIZE_MAX
  nfx_node* nodes;        // by value
} program;

static void destroy(void* state, void* executable) {
  program* made = executable;
  (void)state;
  if (made == NULL) return;
  free(made->operands);
  free(made->output_of);
  free(made->nodes);
  free(made);
}

static size_t value_of(const program* made, nfx_node node) {
  size_t value = 0;
  while (value < made->num_values && made->nodes[value] != node) ++value;
  return value;
}

static nfx_status add_node(program* made, const nfx_graph* graph, nfx_node node,
                           const nfx_node_info* info) {
  for (size_t i = 0; i < info->num_operands; ++i) {
    nfx_node operand;
    const nfx_status status = host->node_operand(graph, node, i, &operand);
    if (status != NFX_OK) return status;
    const size_t value = value_of(made, operand);
    if (value == made->num_values) return NFX_UNSUPPORTED;
    if (info->kind == NFX_OUTPUT)
      made->output_of[value] = made->num_outputs++;
    else
      made->operands[made->num_values][i] = value;
  }
  if (info->kind == NFX_OUTPUT) return NFX_OK;
  if (info->kind == NFX_PLACEHOLDER) ++made->num_inputs;
  made->output_of[made->num_values] = SIZE_MAX;
  made->nodes[made->num_values++] = node;
  return NFX_OK;
}

static nfx_status read_region(program* made, const nfx_graph* region) {
  nfx_node node;
  nfx_status status = host->graph_first(region, &node);
  while (status == NFX_OK && node != 0) {
    nfx_node_info info = {.struct_size = sizeof info};
    nfx_type_info type = {.struct_size = sizeof type};
    status = host->node_read(region, node, &info);
    if (status == NFX_OK) status = host->type_read(region, info.type, &type);
    if (status == NFX_OK && !(info.kind == NFX_PLACEHOLDER && type.kind == NFX_TYPE_SCALAR))
      status = add_node(made, region, node, &info);
    node = info.next;
  }
  return status;
}

static nfx_status compile(void* state, const nfx_graph* region, void** executable,
                          nfx_diagnostic** diagnostic) {
  size_t size;
  nfx_status status = host->graph_size(region, &size);
  program* made = status == NFX_OK ? calloc(1, sizeof *made) : NULL;
  if (made == NULL) return fail(NFX_OUT_OF_MEMORY, "no memory for a program", diagnostic);
  made->operands = calloc(size, sizeof *made->operands);
  made->output_of = calloc(size, sizeof *made->output_of);
  made->nodes = calloc(size, sizeof *made->nodes);
  status = made->operands && made->output_of && made->nodes ? read_region(made, region)
                                                            : NFX_OUT_OF_MEMORY;
  if (status == NFX_OK) {
    *executable = made;
    return NFX_OK;
  }
  destroy(state, made);
  return fail(status, "the region cannot be compiled", diagnostic);
}

// ---- running

// Steps of a dimension of the result in an operand: 0 where it is broadcast.
static int64_t step(const nfx_tensor* x, const nfx_tensor* out, int32_t d) {
  const int32_t own = d - (out->ndim - x->ndim);
  return own < 0 || x->shape[own] == 1 ? 0 : x->strides[own];
}

static void add(const nfx_tensor* a, const nfx_tensor* b, const nfx_tensor* out, int32_t d,
                const char* pa, const char* pb, char* po) {
  const int64_t bytes = (int64_t)sizeof(float);
  if (d == out->ndim) {
    *(float*)(void*)po = *(const float*)(const void*)pa + *(const float*)(const void*)pb;
    return;
  }
  const int64_t sa = step(a, out, d) * bytes, sb = step(b, out, d) * bytes;
  for (int64_t i = 0; i < out->shape[d]; ++i)
    add(a, b, out, d + 1, pa + i * sa, pb + i * sb, po + i * out->strides[d] * bytes);
}

typedef struct buffer {
  nfx_tensor tensor;
  int64_t shape[MAX_RANK], strides[MAX_RANK];
} buffer;

// A dense result that stays inside: the shape to which two operands broadcast.
static const nfx_tensor* make_buffer(buffer* made, const nfx_tensor* a, const nfx_tensor* b) {
  int64_t count = 1;
  made->tensor = *a;
  made->tensor.ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
  for (int32_t d = made->tensor.ndim - 1; d >= 0; --d) {
    const int32_t da = d - (made->tensor.ndim - a->ndim), db = d - (made->tensor.ndim - b->ndim);
    const int64_t size_a = da < 0 ? 1 : a->shape[da], size_b = db < 0 ? 1 : b->shape[db];
    made->shape[d] = size_a == 1 ? size_b : size_a;
    made->strides[d] = count;
    count *= made->shape[d];
  }
  made->tensor.shape = made->shape;
  made->tensor.strides = made->strides;
  made->tensor.byte_offset = 0;
  made->tensor.data = malloc((size_t)count * sizeof(float) + 1);
  return made->tensor.data == NULL ? NULL : &made->tensor;
}

static nfx_status run_all(const program* made, const nfx_call* call, const nfx_tensor** values,
                          buffer* buffers) {
  for (size_t v = 0; v < made->num_inputs; ++v) values[v] = call->inputs[v];
  for (size_t v = made->num_inputs; v < made->num_values; ++v) {
    const nfx_tensor *a = values[made->operands[v][0]], *b = values[made->operands[v][1]];
    nfx_tensor* output = NULL;
    if (made->output_of[v] != SIZE_MAX) {
      const nfx_status status = call->allocate(call, made->output_of[v], NULL, 0, &output);
      if (status != NFX_OK) return status;
    }
    values[v] = output != NULL ? output : make_buffer(&buffers[v - made->num_inputs], a, b);
    if (values[v] == NULL) return NFX_OUT_OF_MEMORY;
    add(a, b, values[v], 0, (const char*)a->data + a->byte_offset,
        (const char*)b->data + b->byte_offset, (char*)values[v]->data + values[v]->byte_offset);
  }
  return NFX_OK;
}

static nfx_status run(void* state, void* executable, const nfx_call* call,
                      nfx_diagnostic** diagnostic) {
  const program* made = executable;
  const size_t num_sums = made->num_values - made->num_inputs;
  const nfx_tensor** values = calloc(made->num_values + 1, sizeof *values);
  buffer* buffers = calloc(num_sums + 1, sizeof *buffers);
  nfx_status status = NFX_OUT_OF_MEMORY;
  (void)state;
  if (call->num_inputs != made->num_inputs)
    status = NFX_BAD_ARGUMENT;
  else if (values != NULL && buffers != NULL)
    status = run_all(made, call, values, buffers);
  for (size_t i = 0; buffers != NULL && i < num_sums; ++i) free(buffers[i].tensor.data);
  free(buffers);
  free((void*)values);
  return status == NFX_OK ? NFX_OK : fail(status, "an addition failed", diagnostic);
}

static const nfx_backend backend = {
    sizeof(nfx_backend), 0, {"null", 4}, NULL, supports, compile, run, destroy};
static const nfx_backend* const backends[] = {&backend};

NFX_PLUGIN_EXPORT nfx_status nfx_plugin_init(const nfx_host* given, nfx_plugin* plugin,
                                             nfx_diagnostic** diagnostic) {
  (void)diagnostic;
  if (given->struct_size < sizeof(nfx_host)) return NFX_BAD_VERSION;
  host = given;
  plugin->abi_version = NFX_ABI_VERSION;
  plugin->name = text("null");
  plugin->version = text("1");
  plugin->backends = backends;
  plugin->num_backends = 1;
  return NFX_OK;
}
