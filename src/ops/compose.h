// Writes the simpler nodes that a composite stands for.
#pragma once
#include <initializer_list>
#include <string_view>
#include <vector>

#include "ops/op_row.h"

namespace nfx {

class Compose {
 public:
  using Operand = Graph::Operand;

  Compose(Graph& graph, Node node) : graph_(graph), context_(graph.context()), node_(node) {}

  // The node of an optional tensor argument, 16-bit floats as float32; none if it is None.
  Node tensor(std::string_view name) const;
  Node tensor(size_t position) const;
  // Of a tensor in another dtype: a cast.
  Node as_dtype(Node node, Dtype dtype) const;
  const Type& type(Node node) const { return node.type(); }

  Operand integer(int64_t value) const { return context_.integer(value); }
  Operand real(double value) const { return context_.real(value); }
  Operand boolean(bool value) const { return context_.boolean(value); }
  Operand integers(const std::vector<int64_t>& values) const;
  Operand size(SymExprId value) const;  // a constant, or the symbolic number
  Operand sizes(const std::vector<SymExprId>& values) const;

  // A call of `aten.<op>`, typed by its row.
  Node operator()(std::string_view op, std::initializer_list<Operand> operands) const;

  // The same op on the same arguments (`tensor` of them), but one, by its name.
  Node again(std::string_view changed, Operand value) const;

  // Gives a fresh result the type that result `index` of the composite has (-1:
  // the only one): strides are those that PyTorch promises for the composite, and
  // 16-bit floats are rounded.
  Node as_result(Node result, int index = -1) const;

 private:
  Node widened(Node tensor) const;

  Graph& graph_;
  Context& context_;
  Node node_;
};

// The number of elements in these dimensions.
SymExprId count_of(Context& context, const Type& type, const std::vector<int64_t>& dims);
// 0, 1 .. rank - 1 between two positions.
std::vector<int64_t> dims_between(size_t first, size_t last);

// Fails unless the tensor has a real floating dtype. 16-bit floats are computed in
// float32 and rounded once, at the end (`tensor`, `as_result`), as PyTorch does.
Status require_float(Node node, Node tensor);
// Fails with a reason.
Diagnostic no_expansion(Node node, std::string_view reason);

}  // namespace nfx
