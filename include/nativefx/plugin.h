// What a plug-in includes: one shared library that exports `nfx_plugin_init` and
// links with nothing of ours. docs/plugins.md shows one being made.
//
// - Any function may fail: it returns a status other than NFX_OK and may set
//   `*diagnostic` to one made by `host->diagnostic_create`, which the host frees.
//   What was to be run then runs in PyTorch.
// - Graphs that are passed in are borrowed for the time of the call. `clone` one to
//   keep or change it; types and nodes keep their numbers only in the original.
// - Threads: `supports` and `compile` of a plug-in are called one at a time; `run`
//   and `destroy` from any thread, `run` several at a time on one executable.
#ifndef NATIVEFX_PLUGIN_H
#define NATIVEFX_PLUGIN_H
#include "nativefx/host.h"

// As DLPack has them: type 1 is the CPU; code 0 int, 1 uint, 2 float, 4 bfloat,
// 5 complex, 6 bool.
typedef struct nfx_device {
  int32_t type;
  int32_t index;
} nfx_device;

typedef struct nfx_data_type {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} nfx_data_type;

// The fields of DLTensor, then ours. Borrowed for the time of a call.
typedef struct nfx_tensor {
  void* data;
  nfx_device device;
  int32_t ndim;
  nfx_data_type dtype;
  const int64_t* shape;
  const int64_t* strides;  // in elements, never null
  uint64_t byte_offset;
  void* stream;  // of the device on which to run; null on the CPU
} nfx_tensor;

// One call of a compiled region. Tensor placeholders of the region are `inputs`,
// those that are numbers `integers`, each in graph order.
typedef struct nfx_call {
  uint32_t struct_size;
  uint32_t num_outputs;
  const nfx_tensor* const* inputs;
  size_t num_inputs;
  const int64_t* integers;
  size_t num_integers;
  // Makes output `index` with the sizes and strides that PyTorch expects; to be
  // asked for once for each, then filled. Fails if `shape` is neither null nor
  // those sizes.
  nfx_status (*allocate)(const struct nfx_call* call, size_t index, const int64_t* shape,
                         int32_t ndim, nfx_tensor** output);
  void* host;
} nfx_call;

// Whoever compiles and runs parts of graphs.
typedef struct nfx_backend {
  uint32_t struct_size;
  uint32_t reserved;
  nfx_string name;
  void* state;  // passed to each call
  // Asked of every call of a graph of coarse ATen operators, before decomposition.
  nfx_status (*supports)(void* state, const nfx_graph* graph, nfx_node node, nfx_support* answer,
                         nfx_diagnostic** diagnostic);
  // `region` holds claimed nodes between placeholders and an output that is a tuple.
  nfx_status (*compile)(void* state, const nfx_graph* region, void** executable,
                        nfx_diagnostic** diagnostic);
  nfx_status (*run)(void* state, void* executable, const nfx_call* call,
                    nfx_diagnostic** diagnostic);
  void (*destroy)(void* state, void* executable);
} nfx_backend;

// What a plug-in says of itself. It stays as it is until `shutdown`.
typedef struct nfx_plugin {
  uint32_t struct_size;  // set by the host
  uint32_t abi_version;  // set by the plug-in: NFX_ABI_VERSION
  nfx_string name;
  nfx_string version;
  const nfx_backend* const* backends;
  size_t num_backends;
  void* state;
  void (*shutdown)(void* state);  // may be null; called once, last
} nfx_plugin;

#ifdef __cplusplus
#define NFX_PLUGIN_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define NFX_PLUGIN_EXPORT __attribute__((visibility("default")))
#endif

typedef nfx_status (*nfx_plugin_init_function)(const nfx_host* host, nfx_plugin* plugin,
                                               nfx_diagnostic** diagnostic);
// The one function that a plug-in defines. `host` lives as long as the plug-in.
NFX_PLUGIN_EXPORT nfx_status nfx_plugin_init(const nfx_host* host, nfx_plugin* plugin,
                                             nfx_diagnostic** diagnostic);

#endif  // NATIVEFX_PLUGIN_H
