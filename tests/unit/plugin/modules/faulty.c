// A plug-in that does wrong what the environment variable NFX_TEST_FAULT names.
// Without a fault it claims every call and fills each output with 1.0f.
#include <stdlib.h>
#include <string.h>

#include "nativefx/plugin.h"

static const nfx_host* host;

static nfx_string text(const char* literal) {
  const nfx_string made = {literal, strlen(literal)};
  return made;
}

static int fault(const char* name) {
  const char* wanted = getenv("NFX_TEST_FAULT");
  return wanted != NULL && strcmp(wanted, name) == 0;
}

static nfx_status broken(const char* where, nfx_diagnostic** diagnostic) {
  *diagnostic = host->diagnostic_create(text("chip-on-fire"), text(where), text("cool it"));
  return NFX_FAILED;
}

static nfx_status supports(void* state, const nfx_graph* graph, nfx_node node, nfx_support* answer,
                           nfx_diagnostic** diagnostic) {
  nfx_node_info info = {.struct_size = sizeof info};
  (void)state;
  if (fault("supports")) return broken("cannot think", diagnostic);
  if (fault("supports-silent")) return NFX_FAILED;
  if (fault("no-reason")) return NFX_OK;
  if (host->node_read(graph, node, &info) != NFX_OK) return NFX_FAILED;
  answer->yes = 1;
  return NFX_OK;
}

static nfx_status compile(void* state, const nfx_graph* region, void** executable,
                          nfx_diagnostic** diagnostic) {
  (void)region;
  if (fault("compile")) return broken("no room on the chip", diagnostic);
  *executable = state;
  return NFX_OK;
}

static nfx_status fill(const nfx_call* call, size_t index) {
  nfx_tensor* output = NULL;
  const int64_t wrong[] = {12345};
  const int64_t* shape = fault("wrong-shape") ? wrong : NULL;
  nfx_status status = call->allocate(call, index, shape, 1, &output);
  if (status != NFX_OK) return fault("wrong-shape") ? NFX_OK : status;  // hides it
  int64_t count = 1;
  for (int32_t d = 0; d < output->ndim; ++d) count *= output->shape[d];
  for (int64_t i = 0; i < count; ++i) ((float*)output->data)[i] = 1.0f;
  return NFX_OK;
}

static nfx_status run(void* state, void* executable, const nfx_call* call,
                      nfx_diagnostic** diagnostic) {
  nfx_tensor* output = NULL;
  (void)state, (void)executable;
  if (fault("run")) return broken("smoke", diagnostic);
  if (fault("run-silent")) return NFX_OUT_OF_MEMORY;
  if (fault("no-output")) return NFX_OK;
  if (fault("far-output")) {
    call->allocate(call, 1000, NULL, 0, &output);
    return NFX_OK;
  }
  for (size_t i = 0; i < call->num_outputs; ++i) {
    const nfx_status status = fill(call, i);
    if (status != NFX_OK) return status;
  }
  return NFX_OK;
}

static int destroyed;
static void destroy(void* state, void* executable) {
  (void)state, (void)executable;
  ++destroyed;
}

static void shutdown(void* state) { (void)state; }

static nfx_backend backend;
static const nfx_backend* backends[1];

NFX_PLUGIN_EXPORT nfx_status nfx_plugin_init(const nfx_host* given, nfx_plugin* plugin,
                                             nfx_diagnostic** diagnostic) {
  const nfx_backend good = {
      sizeof(nfx_backend), 0, {"faulty", 6}, &destroyed, supports, compile, run, destroy};
  host = given;
  if (fault("init")) return broken("no chip found", diagnostic);
  if (fault("init-silent")) return NFX_FAILED;
  if (fault("refuses-version")) return NFX_BAD_VERSION;
  backend = good;
  backends[0] = fault("null-backend") ? NULL : &backend;
  if (fault("small-backend")) backend.struct_size = 4;
  if (fault("nameless-backend")) backend.name.size = 0;
  if (fault("no-run")) backend.run = NULL;
  plugin->abi_version = fault("version") ? (NFX_ABI_MAJOR + 1) << 16 : NFX_ABI_VERSION;
  plugin->name = fault("nameless") ? text("") : text("faulty");
  plugin->version = text("0.1");
  plugin->backends = fault("null-backends") ? NULL : backends;
  plugin->num_backends = 1;
  plugin->shutdown = shutdown;
  return NFX_OK;
}
