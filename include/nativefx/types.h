// Values of the C interface: statuses, strings, nodes, arguments, types.
//
// A struct that may grow begins with `struct_size`, set by whoever makes the
// variable (for one that a function fills too); fields beyond it are not touched.
// Numbers of enumerations never change. Padding is written out.
#ifndef NATIVEFX_TYPES_H
#define NATIVEFX_TYPES_H
#include <stddef.h>
#include <stdint.h>

// Callers pass the version they were compiled with; a library accepts every
// version of its own major number up to its own.
#define NFX_ABI_MAJOR 1u
#define NFX_ABI_MINOR 0u
#define NFX_ABI_VERSION ((NFX_ABI_MAJOR << 16) | NFX_ABI_MINOR)

typedef int32_t nfx_status;
enum {
  NFX_OK = 0,
  NFX_BAD_ARGUMENT = 1,  // null, a node or type that is not of the graph, a wrong struct_size
  NFX_OUT_OF_RANGE = 2,  // an index
  NFX_NOT_FOUND = 3,     // a name
  NFX_BAD_VERSION = 4,
  NFX_INVALID = 5,  // text that does not parse, an edit that would break the graph
  NFX_UNSUPPORTED = 6,
  NFX_OUT_OF_MEMORY = 7,
  NFX_FAILED = 8  // anything else; a diagnostic says what
};

typedef struct nfx_context nfx_context;  // what graphs share; freed by its owner
typedef struct nfx_graph nfx_graph;
typedef struct nfx_diagnostic nfx_diagnostic;  // freed by whoever it was given to
typedef struct nfx_partition nfx_partition;

typedef uint32_t nfx_node;  // of one graph; 0 is none. Never reused after an erase
typedef uint32_t nfx_type;  // of one context; 0 is unknown

// Text, not NUL-terminated. One that is given out lives as long as the handle
// that it was asked of.
typedef struct nfx_string {
  const char* data;
  size_t size;
} nfx_string;

typedef int32_t nfx_node_kind;
enum {
  NFX_PLACEHOLDER = 0,
  NFX_GET_ATTR = 1,
  NFX_CALL_FUNCTION = 2,
  NFX_CALL_METHOD = 3,
  NFX_CALL_MODULE = 4,
  NFX_OUTPUT = 5
};

typedef int32_t nfx_argument_kind;
enum {
  NFX_ARG_NODE = 0,  // node
  NFX_ARG_NONE = 1,
  NFX_ARG_BOOL = 2,     // integer
  NFX_ARG_INT = 3,      // integer
  NFX_ARG_FLOAT = 4,    // real
  NFX_ARG_COMPLEX = 5,  // real, imag
  NFX_ARG_STRING = 6,   // text
  NFX_ARG_ELLIPSIS = 7,
  NFX_ARG_DTYPE = 8,           // dtype
  NFX_ARG_DEVICE = 9,          // text: "cuda:0"
  NFX_ARG_LAYOUT = 10,         // text: "strided"
  NFX_ARG_MEMORY_FORMAT = 11,  // text: "channels_last"
  NFX_ARG_SYMBOLIC = 12,       // text: an expression, "2*s0 + 1"
  NFX_ARG_TUPLE = 13,          // children, as for the kinds up to NFX_ARG_RANGE
  NFX_ARG_LIST = 14,
  NFX_ARG_SIZE = 15,         // torch.Size
  NFX_ARG_NAMED_TUPLE = 16,  // text: name of its type
  NFX_ARG_DICT = 17,         // children: key, value, key, value ...
  NFX_ARG_SLICE = 18,        // three children
  NFX_ARG_RANGE = 19,        // three children
  NFX_ARG_OP = 20,           // text: "aten.add.Tensor"
  NFX_ARG_GRAPH = 21,        // text: attribute name of a subgraph
  NFX_ARG_OPAQUE = 22        // text: label of an object that only Python understands
};

// PyTorch's numbers of element types; nfx_dtype_name gives the names of all.
typedef int32_t nfx_dtype;
enum {
  NFX_UINT8 = 0,
  NFX_INT8 = 1,
  NFX_INT16 = 2,
  NFX_INT32 = 3,
  NFX_INT64 = 4,
  NFX_FLOAT16 = 5,
  NFX_FLOAT32 = 6,
  NFX_FLOAT64 = 7,
  NFX_COMPLEX64 = 9,
  NFX_COMPLEX128 = 10,
  NFX_BOOL = 11,
  NFX_BFLOAT16 = 15
};

typedef int32_t nfx_type_kind;
enum {
  NFX_TYPE_UNKNOWN = 0,
  NFX_TYPE_TENSOR = 1,
  NFX_TYPE_SCALAR = 2,  // a number that may be symbolic
  NFX_TYPE_TUPLE = 3,
  NFX_TYPE_LIST = 4,
  NFX_TYPE_NONE = 5,
  NFX_TYPE_OPAQUE = 6
};

// One argument in place, by value: valid until its node's arguments change.
typedef struct nfx_argument {
  nfx_node node;
  uint32_t structure;
  uint32_t first_operand;
} nfx_argument;

// A size, a stride or a number: an expression, and its value if that is constant.
typedef struct nfx_number {
  uint32_t struct_size;
  uint32_t is_constant;
  int64_t value;
  nfx_string text;
} nfx_number;

// An argument to be made. This struct never grows.
typedef struct nfx_value {
  nfx_argument_kind kind;
  nfx_node node;
  int64_t integer;
  double real, imag;
  nfx_dtype dtype;
  uint32_t is_mutable;  // a plain Python list or dict rather than torch.fx's immutable one
  nfx_string text;
  const struct nfx_value* children;
  size_t num_children;
} nfx_value;

typedef struct nfx_keyword {
  nfx_string name;
  nfx_value value;
} nfx_keyword;

#endif  // NATIVEFX_TYPES_H
