// Structs that the reading functions of nativefx.h fill, and that its making
// functions take. Set `struct_size` to the size of the struct before a call.
#ifndef NATIVEFX_INFO_H
#define NATIVEFX_INFO_H
#include "nativefx/types.h"

typedef struct nfx_node_info {
  uint32_t struct_size;
  nfx_node_kind kind;
  nfx_string name;
  nfx_string target;  // op, function, method, attribute or module path
  nfx_type type;
  nfx_node prev, next;    // in graph order; 0 at the ends
  uint32_t num_operands;  // nodes among the arguments, at any depth, in order
  uint32_t num_positional;
  uint32_t num_keywords;
  nfx_string source;       // "model.py:41 in Filter.forward"; empty if unknown
  nfx_string module_path;  // empty if unknown
} nfx_node_info;

typedef struct nfx_argument_info {
  uint32_t struct_size;
  nfx_argument_kind kind;
  int64_t integer;
  double real, imag;
  nfx_dtype dtype;
  nfx_node node;
  uint32_t is_mutable;
  uint32_t reserved;
  nfx_string text;
  size_t num_children;
} nfx_argument_info;

typedef struct nfx_type_info {
  uint32_t struct_size;
  nfx_type_kind kind;
  nfx_dtype dtype;         // tensor, scalar
  uint32_t rank;           // tensor
  uint32_t has_strides;    // tensor: whether they are known
  uint32_t requires_grad;  // tensor
  nfx_string device;       // tensor: "cpu", "cuda:1"
  nfx_string layout;       // tensor: "strided", "sparse_coo" ...
  nfx_string expression;   // scalar: its value, empty if unknown
  size_t num_elements;     // tuple, list
} nfx_type_info;

typedef struct nfx_attribute_info {
  uint32_t struct_size;
  uint32_t is_graph;  // nfx_graph_subgraph gives it
  nfx_string name;
} nfx_attribute_info;

// What happened, and where: a position in a text, or a node and the Python line
// that made it. Empty fields and zeros are unknown.
typedef struct nfx_diagnostic_info {
  uint32_t struct_size;
  int32_t line, column;  // from 1
  uint32_t reserved;
  nfx_string code;  // stable: "bad-token"
  nfx_string message;
  nfx_string help;  // what the reader can do about it
  nfx_string file;
  nfx_string scope;  // function or module path
  nfx_string node;   // name of a node
} nfx_diagnostic_info;

typedef struct nfx_node_spec {
  uint32_t struct_size;
  nfx_node_kind kind;
  nfx_string target;
  nfx_string name;  // made unique; empty: made from the target
  const nfx_value* positional;
  size_t num_positional;
  const nfx_keyword* keywords;
  size_t num_keywords;
  nfx_type type;
  nfx_node before;    // where it goes; 0: the end
  nfx_node replaces;  // whose source line and module path it takes; 0: nobody's
  uint32_t reserved;
} nfx_node_spec;

// Whether a node can be run.
typedef struct nfx_support {
  uint32_t struct_size;
  uint32_t yes;
  nfx_string reason;  // for no; alive until the next call. The report shows it
} nfx_support;

// Whoever can run nodes. A failure counts as no, with the status as the reason.
typedef struct nfx_supporter {
  uint32_t struct_size;
  uint32_t reserved;
  nfx_string name;  // regions are named after it: "npu_0"
  void* state;      // passed to each call
  nfx_status (*supports)(void* state, const nfx_graph* graph, nfx_node node, nfx_support* answer);
} nfx_supporter;

typedef struct nfx_partition_options {
  uint32_t struct_size;
  uint32_t connected_only;  // divide regions into connected parts
  uint32_t functional;      // refuse what writes, draws random numbers or has effects
  uint32_t reserved;
  size_t min_nodes;  // smaller regions go back to nobody
} nfx_partition_options;

// A region: nodes in graph order, values that it takes from outside in the order
// of their first use, and those that are used outside in graph order. The arrays
// live as long as the partition.
typedef struct nfx_region_info {
  uint32_t struct_size;
  uint32_t supporter;  // its number among those that were asked
  nfx_string name;
  const nfx_node* nodes;
  size_t num_nodes;
  const nfx_node* inputs;
  size_t num_inputs;
  const nfx_node* outputs;
  size_t num_outputs;
} nfx_region_info;

#endif  // NATIVEFX_INFO_H
