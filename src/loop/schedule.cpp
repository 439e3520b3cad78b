#include "loop/schedule.h"

#include <algorithm>
#include <optional>

#include "loop/scheduled.h"
#include "loop/strides.h"

namespace nfx {
namespace {

// Long float sums lose digits: partial sums of this many steps are added up.
constexpr int64_t kBlock = 1024;
// Rows gathered this many edges ahead: what pays on power-law graphs.
constexpr int kPrefetch = 16;
// Edges whose scores are computed at once.
constexpr int64_t kTile = 32;
// What a size that is not known is taken for.
constexpr double kUnknownExtent = 32;
// Positions of a row dimension that one walk over the edges may serve.
constexpr int64_t kMostJoint = 64;

// What one stage computes and touches.
struct Work {
  std::vector<ExprId> nodes;  // everything that is no leaf
  std::vector<ExprId> store_offsets;
};

Work work_of(const Kernel& kernel, const Stage& stage) {
  std::vector<bool> seen;
  std::vector<ExprId> order;
  Work work;
  for (const Reduction& reduction : stage.reductions) {
    for (ExprId root : reduction.step) append_post_order(kernel.exprs, root, seen, order);
  }
  for (const Store& store : stage.stores) {
    for (ExprId root : {store.offset, store.value, store.guard}) {
      append_post_order(kernel.exprs, root, seen, order);
    }
    work.store_offsets.push_back(store.offset);
  }
  for (ExprId id : order) {
    if (!is_leaf(kernel.exprs[id].op)) work.nodes.push_back(id);
  }
  return work;
}

// Lanes that do nothing because the extent is no multiple of their number.
double idle_factor(const Kernel& kernel, DimId id, double lanes) {
  const Dim& dim = kernel.dims[id];
  const bool is_known = dim.kind == Dim::Kind::kDense && dim.extent.scalar < 0;
  if (!is_known || dim.extent.constant == 0) return 1;
  const auto extent = static_cast<double>(dim.extent.constant);
  const double vectors = static_cast<double>(static_cast<int64_t>((extent + lanes - 1) / lanes));
  return vectors * lanes / extent;
}

class Scheduler {
 public:
  Scheduler(const Kernel& kernel, int vector_bytes)
      : kernel_(kernel), lanes_(static_cast<double>(std::max(1, vector_bytes / 4))) {
    for (DimId d = 0; d < kernel.dims.size(); ++d) strides_.emplace_back(kernel, d);
    for (const Stage& stage : kernel.stages) work_.push_back(work_of(kernel, stage));
  }

  Schedule run() const {
    if (const std::optional<Schedule> joint = joint_rows()) return *joint;
    Schedule schedule;
    double along_stages = 0;
    for (size_t s = 0; s < kernel_.stages.size(); ++s) {
      const Choice choice = choose(s);
      along_stages += choice.cost * weight(s);
      schedule.stages.push_back(stage_schedule(s, choice.dim));
      if (has_tile(s, choice.dim)) schedule.stages.back().tile = kTile;
    }
    if (!rows_can_be_lanes()) return schedule;
    double along_rows = 0;
    for (size_t s = 0; s < kernel_.stages.size(); ++s) {
      along_rows += cost(s, kernel_.row_dims.back()) * weight(s);
    }
    if (along_rows > along_stages) return schedule;
    schedule.vector_rows = true;
    for (size_t s = 0; s < kernel_.stages.size(); ++s) {
      schedule.stages[s] = stage_schedule(s, kNoDim);
    }
    return schedule;
  }

 private:
  struct Choice {
    DimId dim = kNoDim;
    double cost = 0;
  };

  // A segment has another length in every lane if its parent is the lanes' row.
  bool rows_can_be_lanes() const {
    if (kernel_.row_dims.empty()) return false;
    return std::none_of(kernel_.dims.begin(), kernel_.dims.end(), [&](const Dim& dim) {
      return dim.kind == Dim::Kind::kRagged && dim.parent == kernel_.row_dims.back();
    });
  }

  // Whether what a stage folds is dear, and needed for many positions of lanes.
  bool has_tile(size_t number, DimId vector_dim) const {
    const Stage& stage = kernel_.stages[number];
    const bool outside =
        std::find(stage.map_dims.begin(), stage.map_dims.end(), vector_dim) != stage.map_dims.end();
    return outside && !tile_values(kernel_, stage).empty();
  }

  // Heads that share their edges are done in one walk, if some stage can hold
  // the sums of several.
  std::optional<Schedule> joint_rows() const {
    if (kernel_.row_dims.size() < 2 || !rows_can_be_lanes()) return std::nullopt;
    const DimId joint = kernel_.row_dims.back();
    const Extent& extent = kernel_.dims[joint].extent;
    if (extent.scalar >= 0 || extent.constant < 2 || extent.constant > kMostJoint) {
      return std::nullopt;
    }
    Schedule schedule;
    schedule.joint_rows = true;
    bool pays = false;
    for (size_t s = 0; s < kernel_.stages.size(); ++s) {
      StageSchedule& stage = schedule.stages.emplace_back();
      const Choice choice = choose(s);
      if (!has_tile(s, choice.dim)) continue;
      stage.unroll = side_by_side(s, choice.dim, extent.constant);
      if (stage.unroll == 1) return std::nullopt;
      stage.tile = kTile;
      pays = true;
    }
    if (!pays) return std::nullopt;
    const ScheduledKernel walked = apply_schedule(kernel_, schedule);
    const Scheduler stages(walked.kernel, static_cast<int>(lanes_) * 4);
    for (size_t s = 0; s < kernel_.stages.size(); ++s) {
      StageSchedule chosen = stages.stage_schedule(s, stages.choose(s).dim);
      chosen.unroll = schedule.stages[s].unroll;
      chosen.tile = schedule.stages[s].tile;
      schedule.stages[s] = chosen;
    }
    return schedule;
  }

  // The most positions of the joint dimension whose states half of the registers hold.
  int64_t side_by_side(size_t number, DimId vector_dim, int64_t positions) const {
    const Extent& extent = kernel_.dims[vector_dim].extent;
    if (extent.scalar >= 0) return 1;
    const auto lanes = static_cast<int64_t>(lanes_);
    const int64_t vectors = (extent.constant + lanes - 1) / lanes *
                            static_cast<int64_t>(kernel_.stages[number].reductions.size());
    const int64_t most = (lanes_ >= 16 ? 16 : 8) / std::max<int64_t>(vectors, 1);
    for (int64_t count = std::min(most, positions); count > 1; --count) {
      if (positions % count == 0) return count;
    }
    return 1;
  }

  // Elements of a stage for one row, as far as they can be known.
  double weight(size_t stage) const {
    const Stage& s = kernel_.stages[stage];
    if (s.map_dims.empty() && s.reduce_dims.empty()) return 1;
    double elements = 16;  // a stage without dimensions costs a part of one element
    for (const std::vector<DimId>* dims : {&s.map_dims, &s.reduce_dims}) {
      for (DimId id : *dims) {
        const Dim& dim = kernel_.dims[id];
        const bool is_known = dim.kind == Dim::Kind::kDense && dim.extent.scalar < 0;
        elements *= is_known ? static_cast<double>(dim.extent.constant) : kUnknownExtent;
      }
    }
    return elements;
  }

  // Of as many elements as there are lanes, with lanes along `dim`: one for a
  // vector or scalar operation, one a lane for a gather or scatter.
  double cost(size_t stage, DimId dim) const {
    const Strides& strides = strides_[dim];
    double total = 0;
    for (ExprId id : work_[stage].nodes) {
      const ExprNode& node = kernel_.exprs[id];
      const bool is_load = node.op == ExprOp::kLoad && !strides[id].is_uniform();
      total += is_load && !strides[node.operands[0]].is_contiguous() ? lanes_ : 1;
    }
    for (ExprId offset : work_[stage].store_offsets) {
      total += strides[offset].is_contiguous() ? 1 : lanes_;
    }
    return total * idle_factor(kernel_, dim, lanes_);
  }

  // Of equals: map before reduce, which must merge its lanes, and inner before outer.
  Choice choose(size_t number) const {
    const Stage& stage = kernel_.stages[number];
    const size_t operations = work_[number].nodes.size() + work_[number].store_offsets.size();
    Choice best{kNoDim, static_cast<double>(operations) * lanes_};
    for (const std::vector<DimId>* dims : {&stage.map_dims, &stage.reduce_dims}) {
      for (size_t k = dims->size(); k-- > 0;) {
        const Choice choice{(*dims)[k], cost(number, (*dims)[k])};
        if (choice.cost < best.cost) best = choice;
      }
    }
    return best;
  }

  StageSchedule stage_schedule(size_t number, DimId vector_dim) const {
    const Stage& stage = kernel_.stages[number];
    StageSchedule schedule;
    schedule.vector_dim = vector_dim;
    const bool across = std::find(stage.reduce_dims.begin(), stage.reduce_dims.end(), vector_dim) !=
                        stage.reduce_dims.end();
    if (across) schedule.accumulators = accumulators(number);
    if (rounds(stage) && may_be_long(stage)) schedule.block = kBlock;
    if (gathers(number)) schedule.prefetch = kPrefetch;
    return schedule;
  }

  // Cheap steps wait for each other's latency, dear ones for registers.
  int accumulators(size_t number) const {
    const size_t operations = work_[number].nodes.size();
    if (operations <= 8) return 4;
    return operations <= 24 ? 2 : 1;
  }

  bool rounds(const Stage& stage) const {
    return std::any_of(stage.reductions.begin(), stage.reductions.end(), [&](const Reduction& r) {
      return std::any_of(r.init.begin(), r.init.end(),
                         [&](ExprId id) { return is_floating(kernel_.exprs[id].dtype); });
    });
  }

  bool may_be_long(const Stage& stage) const {
    int64_t steps = 1;
    for (DimId id : stage.reduce_dims) {
      const Dim& dim = kernel_.dims[id];
      if (dim.kind == Dim::Kind::kRagged || dim.extent.scalar >= 0) return true;
      if (dim.extent.constant > kBlock) return true;
      steps *= dim.extent.constant;
      if (steps > kBlock) return true;
    }
    return false;
  }

  // Whether a ragged dimension leads to addresses that only memory knows.
  bool gathers(size_t number) const {
    const Stage& stage = kernel_.stages[number];
    for (DimId id : stage.reduce_dims) {
      if (kernel_.dims[id].kind != Dim::Kind::kRagged) continue;
      for (ExprId node : work_[number].nodes) {
        const ExprNode& load = kernel_.exprs[node];
        if (load.op != ExprOp::kLoad) continue;
        if (strides_[id][load.operands[0]].kind == LinearTerm::Kind::kOther) return true;
      }
    }
    return false;
  }

  const Kernel& kernel_;
  double lanes_;                  // of 32 bits
  std::vector<Strides> strides_;  // by dimension
  std::vector<Work> work_;        // by stage
};

}  // namespace

Schedule make_schedule(const Kernel& kernel, int vector_bytes) {
  return Scheduler(kernel, vector_bytes).run();
}

int64_t work_items(const Kernel& kernel, const Schedule& schedule, const int64_t* scalars) {
  if (schedule.joint_rows) {
    return row_count(kernel, scalars) / kernel.dims[kernel.row_dims.back()].extent.constant;
  }
  if (!schedule.vector_rows) return row_count(kernel, scalars);
  int64_t items = 1;
  for (DimId dim : kernel.row_dims) {
    const int64_t extent = value_of(kernel.dims[dim].extent, scalars);
    const bool is_last = dim == kernel.row_dims.back();
    items *= is_last ? (extent + schedule.row_block - 1) / schedule.row_block : extent;
  }
  return items;
}

}  // namespace nfx
