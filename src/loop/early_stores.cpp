// Stores that a reduction can do on its way:
//
//   stage reduce j                    stage reduce j
//     r0 = sum(f(load b0[j]))   =>      r0 = sum(f(load b0[j])), store b1[j] = f(load b0[j])
//   stage map j
//     store b1[j] = f(load b0[j])
//
// as in the backward of a pointwise function whose gradient is stored and summed
// for a bias: f is computed once, and memory read once.
#include <algorithm>

#include "loop/scheduled.h"

namespace nfx {
namespace {

std::vector<ExprId> reached(const Kernel& kernel, const Stage& stage) {
  std::vector<bool> seen;
  std::vector<ExprId> order;
  const auto add = [&](ExprId root) {
    if (root != kNoExpr) append_post_order(kernel.exprs, root, seen, order);
  };
  for (const Reduction& reduction : stage.reductions) {
    for (ExprId id : reduction.step) add(id);
  }
  for (const Store& store : stage.stores) {
    for (ExprId id : {store.offset, store.value, store.guard}) add(id);
  }
  return order;
}

bool has_loads(const Kernel& kernel, const std::vector<ExprId>& ids) {
  return std::any_of(ids.begin(), ids.end(),
                     [&](ExprId id) { return kernel.exprs[id].op == ExprOp::kLoad; });
}

// A later reader would find what it is to read overwritten, where an output
// shares memory with an input.
bool reads_later(const Kernel& kernel, size_t reducing, size_t mapping) {
  for (size_t s = reducing + 1; s < kernel.stages.size(); ++s) {
    if (s != mapping && has_loads(kernel, reached(kernel, kernel.stages[s]))) return true;
  }
  for (const Store& store : kernel.stages[reducing].stores) {
    Stage alone;
    alone.stores = {store};
    if (has_loads(kernel, reached(kernel, alone))) return true;
  }
  return false;
}

bool can_store_early(const Kernel& kernel, size_t reducing, size_t mapping) {
  const Stage& from = kernel.stages[mapping];
  const Stage& to = kernel.stages[reducing];
  if (!to.map_dims.empty() || to.reductions.empty() || to.reduce_dims.empty()) return false;
  if (from.map_dims != to.reduce_dims || !from.reductions.empty()) return false;
  const uint32_t known = first_reduction(kernel, reducing);
  const std::vector<ExprId> order = reached(kernel, from);
  const bool waits = std::any_of(order.begin(), order.end(), [&](ExprId id) {
    const ExprNode& node = kernel.exprs[id];
    return node.op == ExprOp::kReduced && reduction_of(node) >= known;
  });
  return !waits && !reads_later(kernel, reducing, mapping);
}

}  // namespace

void store_early(ScheduledKernel& scheduled) {
  Kernel& kernel = scheduled.kernel;
  scheduled.early.resize(kernel.stages.size());
  for (size_t mapping = 1; mapping < kernel.stages.size(); ++mapping) {
    for (size_t reducing = mapping; reducing-- > 0;) {
      if (!can_store_early(kernel, reducing, mapping)) continue;
      scheduled.early[reducing] = std::move(kernel.stages[mapping].stores);
      kernel.stages[mapping] = {};
      scheduled.schedule.stages[mapping] = {};
      return;
    }
  }
}

}  // namespace nfx
