// Runs graphs on values, one element at a time, by the element rules of op rows.
// Slow and plain: what tests of rewrites compare with.
#pragma once
#include <unordered_map>
#include <vector>

#include "expr/value.h"
#include "ir/graph.h"

namespace nfx {

struct TensorValue {
  Dtype dtype = Dtype::kFloat32;
  std::vector<int64_t> sizes;
  std::vector<Value> elements;  // row-major
};

// Same sizes, dtype and bits.
bool same(const TensorValue& a, const TensorValue& b);
std::string text(const TensorValue& value);

// Whether the row of the node has an element rule that takes these dtypes.
bool has_value(Node node);

// Values of the tensors of a graph, given those of its placeholders in order.
// None where an op has no element rule or PyTorch would refuse the dtypes.
class GraphValues {
 public:
  GraphValues(const Graph& graph, const std::vector<TensorValue>& inputs);

  // Of the tensors that the graph returns, in order; empty if one is not known.
  std::vector<TensorValue> outputs() const;

 private:
  bool run(Node node);
  const Graph& graph_;
  std::unordered_map<uint32_t, TensorValue> values_;  // by NodeId
};

}  // namespace nfx
