// Computes graphs by the rules of their op rows alone, element by element.
#pragma once
#include <map>
#include <vector>

#include "expr/evaluate.h"
#include "ir/graph.h"
#include "ops/op_row.h"

namespace nfx::testing {

// Elements in row-major order, whatever the strides of the type.
struct Tensor {
  std::vector<int64_t> sizes;
  std::vector<Value> values;
};

class Reference {
 public:
  void set(Node node, Tensor tensor) { known_[node.id().value] = {std::move(tensor)}; }
  const Tensor& tensor(Node node);  // a result, or a projection of one
  // The results of a node: one, or one an element of a tuple.
  const std::vector<Tensor>& results(Node node);

 private:
  Tensor elements(Node node, const OpRow& row);
  std::vector<Tensor> folded(Node node, const OpRow& row);
  std::map<uint32_t, std::vector<Tensor>> known_;
};

Value value_of_expr(const ExprPool& pool, ExprId id);
int64_t constant_size(Context& context, SymExprId size);

}  // namespace nfx::testing
