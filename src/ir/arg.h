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
  kHole,  // the next operand of the node
  kNone,
  kBool,     // `integer` is 0 or 1
  kInt,      // `integer`
  kFloat,    // `real`
  kComplex,  // `real`, `imag`
  kString,   // `text`
  kEllipsis,
  kDtype,         // `dtype`
  kDevice,        // `text`: "cuda:0"
  kLayout,        // `text`: PyTorch's name, "strided"
  kMemoryFormat,  // `text`: PyTorch's name, "channels_last"
  kSym,           // symbolic number `sym`; comes back as the same Python object (`opaque`)
  kTuple,
  kList,
  kSize,        // torch.Size
  kNamedTuple,  // `opaque` is its type, `text` the name of that
  kDict,        // children: key, value, key, value, ...
  kSlice,       // three children
  kRange,       // three children
  kOp,          // an operator given as a value: `text`, with `opaque` if from Python
  kGraph,       // a subgraph of the module: `text` is its attribute name
  kOpaque,      // anything else: `opaque`
  kCall,        // root of a node: positional tuple, keyword dict
};

// The mutable containers of Python come back as themselves: fx itself turns a
// list given as an argument into its immutable list, so `is_mutable` is rare.
// Other kinds may carry `opaque` too: the object that comes back for them. Fields
// that a kind does not name stay as they are here, for they are compared.
struct Arg {
  ArgKind kind = ArgKind::kNone;
  bool is_mutable = false;  // a plain `list` or `dict` rather than fx's immutable one
  uint16_t depth = 0;       // levels of structure in this subtree, at most kMaxDepth
  uint32_t holes = 0;       // holes in this subtree
  int64_t integer = 0;      // bool, int
  double real = 0, imag = 0;
  Dtype dtype = Dtype::kFloat32;
  StringId text;
  SymExprId sym;
  OpaqueId opaque;
  std::span<const ArgId> children;

  static constexpr uint16_t kMaxDepth = UINT16_MAX;
};

}  // namespace nfx
