// An op is a row: everything that the system knows of it stands together.
//
//   op("aten.relu.default").pointwise(Promote::kDefault)
//       .value([](Expr x) { return max_nan(x, 0); });
//
// What an element of the result is, is said by one rule, `element`: the value at
// an index, in terms of elements of the inputs. Pointwise ops, views, gathers,
// factories and paddings are all that. A reduction says how the elements along
// its dimensions fold. A composite says what simpler nodes it stands for.
// Outside patterns and rules nothing tests an op by name: it asks for a trait or
// a column.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expr/expr.h"
#include "ir/argument_view.h"
#include "ir/graph.h"
#include "support/result.h"

namespace nfx {

// How the dtype that is computed in follows from the operands.
enum class Promote : uint8_t {
  kNone,        // the rule says itself
  kDefault,     // PyTorch's promotion of tensors, 0-d tensors and numbers
  kIntToFloat,  // as kDefault, integers to the default float (true division, exp)
  kQuotient,    // kIntToFloat without a rounding mode, kDefault with one
  kBoolResult,  // computed in the promoted dtype, result is bool (comparisons)
  kLogical,     // operands as truth values, result is bool
  kFirst,       // the dtype of the first operand
};

// What an element rule works with. Implemented by fusion.
class ElementContext {
 public:
  virtual ~ElementContext() = default;
  virtual Node node() const = 0;
  virtual ExprPool& pool() = 0;
  // Position of the element in the result, one int64 expression per dimension.
  virtual std::span<const Expr> index() const = 0;
  // Operand tensor at the (broadcast) position of the element, in its own dtype.
  virtual Expr aligned(Node operand) = 0;
  // Any element of an input that is in memory. Where the guard (bool) is false
  // nothing is read and the value is zero.
  virtual Expr read(Node input, std::span<const Expr> index, Expr guard = {}) = 0;
  // Asks that the elements of an index are positions below a size (with `negative`, counted
  // from the end too) before anything is read. False: nobody sees to it, guard the read.
  virtual bool bounded(Node index, SymExprId size, bool negative) {
    (void)index, (void)size, (void)negative;
    return false;
  }
  // A symbolic integer as int64, e.g. a size of a type.
  virtual Expr size(SymExprId expr) = 0;
  // A scalar argument: constant, symbolic number, or a node that is one.
  virtual Expr number(ArgumentView argument, Dtype dtype) = 0;
};

using TypeRule = std::function<Result<TypeId>(Node)>;
using ElementRule = std::function<Expr(ElementContext&)>;

// A reduction as a monoid with tuple state, given as functions on expressions.
struct Fold {
  std::vector<int64_t> dims;  // of the input, not negative, sorted
  bool keepdim = false;
  Dtype compute = Dtype::kFloat32;  // dtype that the element is cast to
  Node input;
  // Message passing: dimension 0 of the input is edges in order of destination,
  // and result i folds edges offsets[i] .. offsets[i + 1] - 1. `dims` is {0}, and
  // the result has a dimension of nodes in its place.
  Node offsets;
  // State components. `position` is the element's linear position (int64) in the
  // reduced dimensions, `count` their number of elements.
  std::vector<Dtype> state;
  std::function<std::vector<Expr>(ExprPool&)> init;
  std::function<std::vector<Expr>(std::span<const Expr> state, Expr element, Expr position)> step;
  std::function<std::vector<Expr>(std::span<const Expr> state, std::span<const Expr> other)> merge;
  // One expression per result of the op, each cast to its result's dtype.
  std::function<std::vector<Expr>(std::span<const Expr> state, Expr count)> finish;
};
using FoldRule = std::function<Result<Fold>(Node)>;

// Replaces a composite by simpler nodes placed before it. Returns what takes the
// place of each of its results (one, or one per tuple element; none: not needed
// or the op gives none there). The expansion computes the same function.
using ExpandRule = std::function<Result<std::vector<Node>>(Graph&, Node)>;

struct OpRow : OpInfo {
  size_t value_operands = 0;  // leading arguments that a pointwise value is made of
  Promote promote = Promote::kNone;
  // Numbers and 0-d tensors meet 16-bit floats as they are, not rounded to 16 bits first.
  bool wide_numbers = false;
  TypeRule type;        // of the result, from the operands' types
  ElementRule element;  // pointwise, view, gather, factory
  FoldRule fold;        // reduction
  ExpandRule expand;    // composite
  // Why this node is beyond the rules above (an index that is a mask). Empty: it is not.
  std::function<std::string(Node)> refuses;
  // Operands whose elements `element` reads by `read` rather than `aligned`;
  // those must be in memory. All operands of views, cat and pad; the source of a
  // gather. Bit i is operand i (of the node's flat operand list, 31 and up share bit 31).
  uint32_t read_operands = 0;
  // Message passing: the result gives each edge the row of operand 0 at its
  // destination. Names the offsets of the edges, as in Fold.
  std::function<Node(Node)> spread_over;
  // Message passing: the result gives each edge a row of operand 0. What is computed
  // from it element by element is computed again where it is used, not stored.
  bool along_edges = false;
};

// The row behind an OpInfo, null if the op has none (traits from schema only).
const OpRow* op_row(const OpInfo* info);
inline const OpRow* op_row(Node node) { return op_row(node.op()); }

// The dtype that the operands of a pointwise node are promoted to, by its row.
Dtype promoted_dtype(Node node);
bool is_half(Dtype dtype);  // float16, bfloat16
// What values of a dtype are computed in: 16-bit floats in float32, as PyTorch does.
// The result of each op is rounded, inside a fused kernel too.
Dtype arithmetic_dtype(Dtype dtype);
// arithmetic_dtype of promoted_dtype.
Dtype compute_dtype(Node node);

}  // namespace nfx
