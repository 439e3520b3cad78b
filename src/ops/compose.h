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

  // The node of an optional tensor argument; none if it is None.
  Node tensor(std::string_view name) const;
  Node tensor(size_t position) const;
  const Type& type(Node node) const { return node.type(); }

  Operand integer(int64_t value) const { return context_.integer(value); }
  Operand real(double value) const { return context_.real(value); }
  Operand boolean(bool value) const { return context_.boolean(value); }
  Operand integers(const std::vector<int64_t>& values) const;
  Operand size(SymExprId value) const;  // a constant, or the symbolic number
  Operand sizes(const std::vector<SymExprId>& values) const;

  // A call of `aten.<op>`, typed by its row.
  Node operator()(std::string_view op, std::initializer_list<Operand> operands) const;

  // Gives a fresh result the type that result `index` of the composite has (-1:
  // the only one): strides are those that PyTorch promises for the composite.
  Node as_result(Node result, int index = -1) const;

 private:
  Graph& graph_;
  Context& context_;
  Node node_;
};

// The number of elements in these dimensions.
SymExprId count_of(Context& context, const Type& type, const std::vector<int64_t>& dims);
// 0, 1 .. rank - 1 between two positions.
std::vector<int64_t> dims_between(size_t first, size_t last);

// Fails unless tensors compute in float32 or float64: PyTorch computes composites
// of narrower floats in float32, which step-by-step rounding would not repeat.
Status require_wide_float(Node node, Node tensor);
// Fails with a reason.
Diagnostic no_expansion(Node node, std::string_view reason);

}  // namespace nfx
