// Type rules that several families share.
#pragma once
#include <optional>
#include <vector>

#include "ops/op_row.h"

namespace nfx {

// Broadcast of the tensor operands. Dtype by the row's promotion; strides as
// PyTorch's TensorIterator gives them: those of the operands where they are dense
// and agree, else row-major.
Result<TypeId> pointwise_type(Node node);

// The type of operand 0, contiguous.
Result<TypeId> like_first(Node node);

// Row-major type of these sizes, on the device of the first tensor operand.
TypeId dense_type(Node node, Dtype dtype, const std::vector<SymExprId>& sizes);

// Dimension argument made non-negative.
int64_t wrapped_dim(int64_t dim, size_t rank);
// Value of a symbolic or constant integer argument; nothing if it is no integer.
std::optional<SymExprId> sym_argument(Node node, ArgumentView view);
// A list of them; an integer alone is a list of one.
std::optional<std::vector<SymExprId>> sym_list(Node node, ArgumentView view);
// Constant integers of a list argument (an integer alone is a list of one).
std::vector<int64_t> int_list(ArgumentView view);
std::optional<Dtype> dtype_argument(Node node, std::string_view name);

// Makes a call and gives it the type that its row infers.
Node emit(Graph& graph, std::string_view target, std::initializer_list<Graph::Operand> operands);

}  // namespace nfx
