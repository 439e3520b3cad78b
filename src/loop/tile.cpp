// What is worth computing for a block of positions at once.
#include <algorithm>

#include "loop/scheduled.h"

namespace nfx {
namespace {

bool is_dear(ExprOp op) {
  return (op >= ExprOp::kExp && op <= ExprOp::kLgamma && op != ExprOp::kSqrt) || op == ExprOp::kPow;
}

// What each expression of a pool is made of, along the dimensions of one stage.
class Dependence {
 public:
  Dependence(const Kernel& kernel, const Stage& stage) : kernel_(kernel) {
    const DimId blocked = stage.reduce_dims.front();
    const size_t count = kernel.exprs.size();
    along_.assign(count, false);
    across_.assign(count, false);
    dear_.assign(count, false);
    for (ExprId id = 0; id < count; ++id) {
      const ExprNode& node = kernel.exprs[id];
      along_[id] = node.op == ExprOp::kIndex && node.payload == blocked;
      across_[id] = node.op == ExprOp::kState || node.op == ExprOp::kOther ||
                    (node.op == ExprOp::kIndex && node.payload != blocked && walks(stage, node));
      dear_[id] = is_dear(node.op) && is_floating(node.dtype);
      for_each_operand(node, [&](ExprId operand) {
        along_[id] = along_[id] || along_[operand];
        across_[id] = across_[id] || across_[operand];
        dear_[id] = dear_[id] || dear_[operand];
      });
    }
  }

  bool is_tile_value(ExprId id) const {
    return is_floating(kernel_.exprs[id].dtype) && along_[id] && !across_[id] && dear_[id];
  }

 private:
  static bool walks(const Stage& stage, const ExprNode& index) {
    const auto has = [&](const std::vector<DimId>& dims) {
      return std::find(dims.begin(), dims.end(), index.payload) != dims.end();
    };
    return has(stage.map_dims) || has(stage.reduce_dims);
  }

  const Kernel& kernel_;
  std::vector<bool> along_, across_, dear_;
};

}  // namespace

std::vector<ExprId> tile_values(const Kernel& kernel, const Stage& stage) {
  std::vector<ExprId> values;
  if (stage.reduce_dims.empty()) return values;
  const Dependence dependence(kernel, stage);
  std::vector<bool> seen(kernel.exprs.size(), false);
  std::vector<ExprId> rest;
  for (const Reduction& reduction : stage.reductions) {
    rest.insert(rest.end(), reduction.step.begin(), reduction.step.end());
  }
  while (!rest.empty()) {
    const ExprId id = rest.back();
    rest.pop_back();
    if (seen[id]) continue;
    seen[id] = true;
    if (dependence.is_tile_value(id)) {
      values.push_back(id);
      continue;
    }
    for_each_operand(kernel.exprs[id], [&](ExprId operand) { rest.push_back(operand); });
  }
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace nfx
