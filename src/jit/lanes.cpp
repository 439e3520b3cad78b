#include "jit/lanes.h"

#include <algorithm>

namespace nfx::jit {
namespace {

bool contains(const std::vector<DimId>& dims, DimId dim) {
  return std::find(dims.begin(), dims.end(), dim) != dims.end();
}

bool leaf_varies(const ExprNode& node, DimId dim, const std::vector<bool>& reductions) {
  if (node.op == ExprOp::kIndex) return node.payload == dim;
  if (node.op == ExprOp::kReduced) return reductions[node.payload >> 8];
  return false;
}

// Operands have smaller ids than their users, so one pass in order is enough.
void spread(const Kernel& kernel, DimId dim, Variance& variance) {
  for (ExprId id = 0; id < kernel.exprs.size(); ++id) {
    const ExprNode& node = kernel.exprs[id];
    bool varies = leaf_varies(node, dim, variance.reductions);
    for (ExprId operand : node.operands) {
      if (operand != kNoExpr) varies = varies || variance.exprs[operand];
    }
    variance.exprs[id] = varies;
  }
}

int floating_bytes(Dtype dtype) { return std::max(4, dtype_size(dtype)); }

// Bytes of the widest type that lanes compute in. Index arithmetic does not
// count where there are floats: it stays scalar or is split in halves.
int element_bytes(const Kernel& kernel, const std::vector<ExprId>& roots, const Variance& variance,
                  bool states_vary) {
  int floats = 0;
  int integers = 4;
  for (ExprId id : reachable(kernel, roots)) {
    const ExprNode& node = kernel.exprs[id];
    const bool varies = variance.exprs[id] || (states_vary && node.op == ExprOp::kState);
    if (!varies) continue;
    if (is_floating(node.dtype)) floats = std::max(floats, floating_bytes(node.dtype));
  }
  for (ExprId id : roots) {
    const Dtype dtype = kernel.exprs[id].dtype;
    if (variance.exprs[id] && !is_floating(dtype)) integers = std::max(integers, dtype_size(dtype));
  }
  return floats > 0 ? floats : integers;
}

// Roots whose dtype is data: not the offsets of stores.
std::vector<ExprId> data_roots(const Stage& stage) {
  std::vector<ExprId> roots;
  for (const Reduction& reduction : stage.reductions) {
    roots.insert(roots.end(), reduction.step.begin(), reduction.step.end());
  }
  for (const Store& store : stage.stores) roots.push_back(store.value);
  return roots;
}

// Vector registers that one part of the varying states of all stages takes.
int state_registers(const Kernel& kernel, const Variance& variance, int width, int vector_bytes) {
  int most = 0;
  size_t number = 0;
  for (const Stage& stage : kernel.stages) {
    int registers = 0;
    for (const Reduction& reduction : stage.reductions) {
      if (!variance.reductions[number++]) continue;
      for (ExprId init : reduction.init) {
        const int bytes = width * floating_bytes(kernel.exprs[init].dtype);
        registers += std::max(1, bytes / vector_bytes);
      }
    }
    most = std::max(most, registers);
  }
  return most;
}

bool is_heavy(ExprOp op) {
  return op >= ExprOp::kExp && op <= ExprOp::kLgamma && op != ExprOp::kSqrt;
}

// Parts multiply the code of the body, so a long body gets few.
int body_limit(const Kernel& kernel, const std::vector<ExprId>& roots, const Variance& variance) {
  int cost = 0;
  for (ExprId id : reachable(kernel, roots)) {
    if (variance.exprs[id]) cost += is_heavy(kernel.exprs[id].op) ? 12 : 1;
  }
  return cost > 48 ? 1 : (cost > 12 ? 2 : (cost > 8 ? 4 : 8));
}

int power_of_two_at_most(int value) {
  int power = 1;
  while (power * 2 <= value) power *= 2;
  return power;
}

// No wider than a short dimension needs.
int fitting_width(const Dim& dim, int width) {
  if (dim.kind == Dim::Kind::kRagged || dim.extent.scalar >= 0) return width;
  while (width > 1 && width / 2 >= dim.extent.constant) width /= 2;
  return width;
}

// Lanes along a row or map dimension: several parts only where reductions run
// inside, whose states then stay in registers side by side.
Lanes outer_lanes(const Kernel& kernel, DimId dim, const Variance& variance,
                  const std::vector<ExprId>& roots, const Target& target, bool is_tiled = false) {
  Lanes lanes;
  lanes.width = target.vector_bytes / element_bytes(kernel, roots, variance, false);
  lanes.width = fitting_width(kernel.dims[dim], lanes.width);
  const int registers = state_registers(kernel, variance, lanes.width, target.vector_bytes);
  if (registers == 0) return lanes;
  int parts = std::min(target.vector_registers / 2 / registers, 8);
  if (!is_tiled) parts = std::min(parts, body_limit(kernel, roots, variance));
  const Extent& extent = kernel.dims[dim].extent;
  if (kernel.dims[dim].kind == Dim::Kind::kDense && extent.scalar < 0) {
    parts = static_cast<int>(std::min<int64_t>(parts, extent.constant / lanes.width));
  } else {
    parts = std::min(parts, 4);
  }
  lanes.parts = power_of_two_at_most(std::max(parts, 1));
  return lanes;
}

bool parent_of_ragged(const Kernel& kernel, DimId dim) {
  return std::any_of(kernel.dims.begin(), kernel.dims.end(), [&](const Dim& other) {
    return other.kind == Dim::Kind::kRagged && other.parent == dim;
  });
}

StagePlan plan_stage(const Kernel& kernel, const Stage& stage, const StageSchedule& schedule,
                     const Variance& variance, const Target& target) {
  StagePlan plan;
  plan.dim = schedule.vector_dim;
  plan.reduces = contains(stage.reduce_dims, plan.dim);
  assert((plan.reduces || contains(stage.map_dims, plan.dim)) &&
         "lanes of a stage run along one of its dimensions");
  if (!plan.reduces) {
    plan.lanes =
        outer_lanes(kernel, plan.dim, variance, data_roots(stage), target, schedule.tile > 0);
    return plan;
  }
  plan.lanes.width = target.vector_bytes / element_bytes(kernel, data_roots(stage), variance, true);
  plan.lanes.width = fitting_width(kernel.dims[plan.dim], plan.lanes.width);
  const int limit = body_limit(kernel, data_roots(stage), variance);
  plan.lanes.parts = power_of_two_at_most(std::clamp(schedule.accumulators, 1, limit));
  return plan;
}

void plan_rows(const Kernel& kernel, const Target& target, LanePlan& plan) {
  plan.row_dim = kernel.row_dims.back();
  plan.row_variance = find_variance(kernel, plan.row_dim);
  // The loops of lanes with segments of their own would differ in length.
  if (parent_of_ragged(kernel, plan.row_dim)) return;
  std::vector<ExprId> roots;
  for (const Stage& stage : kernel.stages) {
    for (ExprId root : data_roots(stage)) roots.push_back(root);
  }
  plan.row_lanes = outer_lanes(kernel, plan.row_dim, plan.row_variance, roots, target);
}

// For filling a tile: one vector at a time.
Lanes tile_lanes(const ScheduledKernel& scheduled, const StageTile& tile, const Target& target) {
  const Variance variance = find_variance(scheduled.kernel, tile.lane_dim);
  Lanes lanes;
  lanes.width = target.vector_bytes / element_bytes(scheduled.kernel, tile.values, variance, false);
  lanes.width = fitting_width(scheduled.kernel.dims[tile.lane_dim], lanes.width);
  return lanes;
}

}  // namespace

std::vector<DimId> loop_order(const std::vector<DimId>& dims, DimId lane_dim) {
  std::vector<DimId> order = dims;
  std::stable_partition(order.begin(), order.end(), [&](DimId dim) { return dim != lane_dim; });
  return order;
}

std::vector<ExprId> stage_roots(const Stage& stage) {
  std::vector<ExprId> roots = data_roots(stage);
  for (const Store& store : stage.stores) {
    roots.push_back(store.offset);
    if (store.guard != kNoExpr) roots.push_back(store.guard);
  }
  return roots;
}

std::vector<ExprId> reachable(const Kernel& kernel, const std::vector<ExprId>& roots) {
  std::vector<bool> seen(kernel.exprs.size(), false);
  for (ExprId root : roots) seen[root] = true;
  std::vector<ExprId> found;
  for (size_t id = kernel.exprs.size(); id-- > 0;) {
    if (!seen[id]) continue;
    found.push_back(static_cast<ExprId>(id));
    for (ExprId operand : kernel.exprs[static_cast<ExprId>(id)].operands) {
      if (operand != kNoExpr) seen[operand] = true;
    }
  }
  std::reverse(found.begin(), found.end());
  return found;
}

Variance find_variance(const Kernel& kernel, DimId dim) {
  Variance variance;
  variance.exprs.assign(kernel.exprs.size(), false);
  size_t number = 0;
  for (const Stage& stage : kernel.stages) number += stage.reductions.size();
  variance.reductions.assign(number, false);
  number = 0;
  for (const Stage& stage : kernel.stages) {
    // Reductions may name those of earlier stages, so stages go in order.
    spread(kernel, dim, variance);
    for (const Reduction& reduction : stage.reductions) {
      const bool varies = std::any_of(reduction.step.begin(), reduction.step.end(),
                                      [&](ExprId id) { return variance.exprs[id]; });
      variance.reductions[number++] = varies && !contains(stage.reduce_dims, dim);
    }
  }
  spread(kernel, dim, variance);
  return variance;
}

LanePlan plan_lanes(const ScheduledKernel& scheduled, const Target& target) {
  const Kernel& kernel = scheduled.kernel;
  const Schedule& schedule = scheduled.schedule;
  LanePlan plan;
  plan.stages.resize(kernel.stages.size());
  plan.stage_variance.resize(kernel.stages.size());
  if (schedule.vector_rows) {
    plan_rows(kernel, target, plan);
    return plan;
  }
  for (size_t i = 0; i < kernel.stages.size(); ++i) {
    if (i >= schedule.stages.size() || schedule.stages[i].vector_dim == kNoDim) continue;
    plan.stage_variance[i] = find_variance(kernel, schedule.stages[i].vector_dim);
    plan.stages[i] =
        plan_stage(kernel, kernel.stages[i], schedule.stages[i], plan.stage_variance[i], target);
    const StageTile& tile = scheduled.tiles[i];
    if (tile.dim != kNoDim) plan.stages[i].tile = tile_lanes(scheduled, tile, target);
  }
  return plan;
}

}  // namespace nfx::jit
