#include "compiler/kernel_cost.h"

namespace nfx {
namespace {

using Count = std::optional<int64_t>;

Count times(Count a, Count b) {
  if (!a || !b) return std::nullopt;
  int64_t product = 0;
  if (__builtin_mul_overflow(*a, *b, &product)) return std::nullopt;
  return product;
}

const Type* type_of(const KernelOperand& operand) {
  const Type& type = operand.node.type();
  if (operand.result < 0) return &type;
  const auto index = static_cast<size_t>(operand.result);
  return index < type.elements.size() ? &operand.node.graph().context().type(type.elements[index])
                                      : nullptr;
}

Count bytes_of(const KernelOperand& operand) {
  const Type* type = type_of(operand);
  if (type == nullptr || type->kind != TypeKind::kTensor) return std::nullopt;
  Count bytes = dtype_size(type->dtype);
  for (const SymExprId size : type->sizes) {
    bytes = times(bytes, evaluate_hint(operand.node.graph().context(), size));
  }
  return bytes;
}

class Counting {
 public:
  explicit Counting(const FusedKernel& fused) : fused_(fused), kernel_(fused.kernel) {}

  Count flops() const {
    const Count rows = extent(kernel_.row_dims);
    int64_t sum = 0;
    for (const Stage& stage : kernel_.stages) {
      const Count maps = times(rows, extent(stage.map_dims));
      const Count steps = times(maps, extent(stage.reduce_dims));
      std::vector<ExprId> folded, stored;
      for (const Reduction& reduction : stage.reductions) {
        folded.insert(folded.end(), reduction.step.begin(), reduction.step.end());
      }
      for (const Store& store : stage.stores) stored.push_back(store.value);
      const Count inner = times(steps, operations(folded));
      const Count outer = times(maps, operations(stored));
      if (!inner || !outer) return std::nullopt;
      sum += *inner + *outer;
    }
    return sum;
  }

 private:
  Count extent(const std::vector<DimId>& dims) const {
    Count product = 1;
    for (const DimId dim : dims) product = times(product, extent(kernel_.dims[dim]));
    return product;
  }

  Count extent(const Dim& dim) const {
    if (dim.kind != Dim::Kind::kDense) return std::nullopt;
    if (dim.extent.scalar < 0) return dim.extent.constant;
    const auto& scalar = fused_.scalars[static_cast<size_t>(dim.extent.scalar)];
    if (!scalar.expr || fused_.ops.empty()) return std::nullopt;
    return evaluate_hint(fused_.ops[0].graph().context(), scalar.expr);
  }

  int64_t operations(const std::vector<ExprId>& roots) const {
    std::vector<bool> seen;
    std::vector<ExprId> order;
    for (const ExprId root : roots) append_post_order(kernel_.exprs, root, seen, order);
    int64_t count = 0;
    for (const ExprId id : order) {
      const ExprNode& node = kernel_.exprs[id];
      const bool computes = !is_leaf(node.op) && node.op != ExprOp::kLoad &&
                            node.op != ExprOp::kCast && node.op != ExprOp::kSelect;
      if (computes && is_floating(node.dtype)) ++count;
    }
    return count;
  }

  const FusedKernel& fused_;
  const Kernel& kernel_;
};

}  // namespace

KernelCost kernel_cost(const FusedKernel& fused) {
  KernelCost cost{.bytes = 0, .flops = Counting(fused).flops()};
  for (const KernelOperand& operand : fused.buffers) {
    const Count bytes = bytes_of(operand);
    if (!bytes || !cost.bytes) {
      cost.bytes.reset();
      break;
    }
    *cost.bytes += *bytes;
  }
  return cost;
}

}  // namespace nfx
