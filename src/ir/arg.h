// Arguments of nodes. An argument is an interned tree whose node operands are
// holes, numbered from left to right: `add(%x, 2, alpha=3)` has the structure
// `call((_, 2), {"alpha": 3})` and the operand list [%x]. Structures are shared
// by all nodes of a Context, and print as they were spelled.
#pragma once
#include <complex>
#include <cstdint>
#include <span>

#include "ir/dtype.h"
#include "ir/ids.h"

namespace nfx {

enum class ArgKind : uint8_t {
  kHole,           // the next operand of the node
  kNone, kBool, kInt, kFloat, kComplex, kString, kEllipsis,
  kDtype, kDevice, kLayout, kMemoryFormat,  // layout, memory format: PyTorch's name in `text`
  kSym,            // symbolic number (`sym`); comes back as the same Python object (`opaque`)
  kTuple, kList, kSize, kNamedTuple,        // kSize: torch.Size; named tuple: its type is `opaque`
  kDict,           // children: key, value, key, value, ...
  kSlice, kRange,  // three children
  kOp,             // an operator given as a value: `text`, with `opaque` if from Python
  kGraph,          // a subgraph of the module: `text` is its attribute name
  kOpaque,         // anything else: `opaque`
  kCall,           // root of a node: positional tuple, keyword dict
};

// The mutable containers of Python come back as themselves: fx itself turns a
// list given as an argument into its immutable list, so `is_mutable` is rare.
struct Arg {
  ArgKind kind = ArgKind::kNone;
  bool is_mutable = false;  // a plain `list` or `dict` rather than fx's immutable one
  uint32_t holes = 0;       // holes in this subtree
  int64_t integer = 0;      // bool, int
  double real = 0, imag = 0;
  Dtype dtype = Dtype::kFloat32;
  StringId text;
  SymExprId sym;
  OpaqueId opaque;
  std::span<const ArgId> children;
};

}  // namespace nfx
