#include "loop/eligible.h"

#include "ops/op_row.h"

namespace nfx {
namespace {

// Empty if values of this type can be read and written by kernels.
std::string tensor_problem(Node node, const Type& type) {
  if (type.kind == TypeKind::kUnknown) return "its type is not known";
  if (type.kind != TypeKind::kTensor) return "it is no tensor";
  const std::string_view device = node.graph().context().text(type.device);
  if (!device.empty() && device != "cpu") return "it is on device " + std::string(device);
  if (type.layout != Layout::kStrided) return "its layout is not strided";
  if (!is_kernel_dtype(type.dtype))
    return "kernels do not compute " + std::string(dtype_name(type.dtype));
  if (type.strides.size() != type.sizes.size()) return "its strides are not known";
  return {};
}

bool is_number(const Type& type) { return type.kind == TypeKind::kScalar; }

std::string operand_problem(Node node) {
  for (uint32_t i = 0; i < node.num_operands(); ++i) {
    const Node operand = node.operand(i);
    if (is_number(operand.type())) continue;
    const std::string problem = tensor_problem(operand, operand.type());
    if (!problem.empty()) return "of input %" + std::string(operand.name()) + ": " + problem;
  }
  return {};
}

std::string result_problem(Node node) {
  const Type& type = node.type();
  if (type.kind != TypeKind::kTuple && type.kind != TypeKind::kList)
    return tensor_problem(node, type);
  for (TypeId element : type.elements) {
    const std::string problem = tensor_problem(node, node.graph().context().type(element));
    if (!problem.empty()) return problem;
  }
  return {};
}

bool reads_a_tensor(Node node) {
  for (uint32_t i = 0; i < node.num_operands(); ++i) {
    if (node.operand(i).type().kind == TypeKind::kTensor) return true;
  }
  return false;
}

FuseRole role_of(Node node, const OpRow& row) {
  if (row.has(Trait::kView)) return FuseRole::kView;
  if (row.fold) return FuseRole::kFold;
  const bool only_loads = row.has(Trait::kGather) && row.read_operands == ~0u;
  return reads_a_tensor(node) && !only_loads ? FuseRole::kElement : FuseRole::kInline;
}

}  // namespace

bool is_kernel_dtype(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat32:
    case Dtype::kFloat64:
    case Dtype::kFloat16:
    case Dtype::kBFloat16:
    case Dtype::kInt64:
    case Dtype::kInt32:
    case Dtype::kInt16:
    case Dtype::kInt8:
    case Dtype::kUInt8:
    case Dtype::kBool: return true;
    default: return false;
  }
}

Eligibility eligibility(Node node) {
  if (value_of(node).index >= 0) return {FuseRole::kProjection, {}};
  if (node.kind() != NodeKind::kCallFunction) return {FuseRole::kNone, "it is no op"};
  const OpRow* row = op_row(node);
  if (row == nullptr) return {FuseRole::kNone, "the op has no row in the op table"};
  if (!row->element && !row->fold) return {FuseRole::kNone, "the op runs as a whole in PyTorch"};
  if (row->has(Trait::kMutates) || row->has(Trait::kRandom) || row->has(Trait::kEffect)) {
    return {FuseRole::kNone, "the op writes to its inputs or draws random numbers"};
  }
  std::string problem = result_problem(node);
  if (problem.empty()) problem = operand_problem(node);
  if (problem.empty() && row->refuses) problem = row->refuses(node);
  if (!problem.empty()) return {FuseRole::kNone, std::move(problem)};
  return {role_of(node, *row), {}};
}

}  // namespace nfx
