#include "loop/scheduled.h"

#include <algorithm>

#include "expr/expr_math.h"
#include "loop/strides.h"
#include "loop/substitute.h"

namespace nfx {
namespace {

// No more than this of one gathered row is prefetched.
constexpr int64_t kMostPrefetched = 1024;

ExprId index_of(ExprPool& pool, DimId dim) { return pool.leaf(ExprOp::kIndex, Dtype::kInt64, dim); }

class Writer {
 public:
  Writer(const Kernel& kernel, const Schedule& schedule) : source_(kernel) {
    result_.kernel = kernel;
    result_.schedule = schedule;
    result_.tiles.resize(kernel.stages.size());
    number_of_.resize(first_reduction(kernel, kernel.stages.size()));
    place_of_.resize(number_of_.size());
  }

  ScheduledKernel run() {
    Schedule& schedule = result_.schedule;
    schedule.stages.resize(source_.stages.size());
    if (schedule.joint_rows) {
      joint_ = source_.row_dims.back();
      result_.kernel.row_dims.pop_back();
      find_kept();
    }
    for (size_t s = 0; s < source_.stages.size(); ++s) write_stage(s);
    return std::move(result_);
  }

 private:
  ExprPool& pool() { return result_.kernel.exprs; }
  bool is_joint() const { return joint_ != kNoDim; }

  // Reductions that stages after their own use.
  void find_kept() {
    kept_.assign(number_of_.size(), false);
    for (size_t s = 0; s < source_.stages.size(); ++s) {
      const uint32_t first = first_reduction(source_, s);
      std::vector<bool> seen;
      std::vector<ExprId> order;
      for_each_root(source_.stages[s],
                    [&](ExprId root) { append_post_order(source_.exprs, root, seen, order); });
      for (ExprId id : order) {
        const ExprNode& node = source_.exprs[id];
        if (node.op == ExprOp::kReduced && reduction_of(node) < first) {
          kept_[reduction_of(node)] = true;
        }
      }
    }
  }

  template <class Visit>
  static void for_each_root(const Stage& stage, Visit visit) {
    for (const Reduction& reduction : stage.reductions) {
      for (ExprId id : reduction.step) visit(id);
    }
    for (const Store& store : stage.stores) {
      for (ExprId id : {store.offset, store.value, store.guard}) {
        if (id != kNoExpr) visit(id);
      }
    }
  }

  void write_stage(size_t s) {
    Stage stage = source_.stages[s];
    stage.reductions.clear();
    stage.stores.clear();
    const std::vector<ExprId> positions = joint_positions(s, stage);
    for (size_t c = 0; c < positions.size(); ++c) write_copy(s, positions[c], stage);
    result_.kernel.stages[s] = stage;
    next_ += static_cast<uint32_t>(stage.reductions.size());
    if (result_.schedule.stages[s].tile > 0) write_tile(s, positions);
  }

  // Where the joint dimension stands in each copy of the stage's statements.
  std::vector<ExprId> joint_positions(size_t s, Stage& stage) {
    if (!is_joint()) return {kNoExpr};
    const int64_t extent = source_.dims[joint_].extent.constant;
    const int64_t unroll = result_.schedule.stages[s].unroll;
    ExprId base = pool().constant(Dtype::kInt64, int64_t{0});
    if (unroll < extent) {
      DimId outer = joint_;
      if (unroll > 1) {
        outer = static_cast<DimId>(result_.kernel.dims.size());
        Dim dim;
        dim.extent.constant = extent / unroll;
        result_.kernel.dims.push_back(dim);
      }
      stage.map_dims.insert(stage.map_dims.begin(), outer);
      base = (wrap(index_of(pool(), outer)) * wrap(pool().constant(Dtype::kInt64, unroll))).id;
    }
    std::vector<ExprId> positions;
    for (int64_t c = 0; c < unroll; ++c) {
      positions.push_back((wrap(base) + wrap(pool().constant(Dtype::kInt64, c))).id);
    }
    return positions;
  }

  void write_copy(size_t s, ExprId position, Stage& stage) {
    const Stage& source = source_.stages[s];
    const uint32_t first = first_reduction(source_, s);
    Substitution copy(pool(), replacement(position));
    for (size_t r = 0; r < source.reductions.size(); ++r) {
      Reduction reduction = source.reductions[r];
      for (ExprId& step : reduction.step) step = copy(step);
      number_of_[first + r] = next_ + static_cast<uint32_t>(stage.reductions.size());
      stage.reductions.push_back(std::move(reduction));
    }
    Substitution stored(pool(), replacement(position));
    for (Store store : source.stores) {
      store.offset = stored(store.offset);
      store.value = stored(store.value);
      store.guard = stored(store.guard);
      stage.stores.push_back(store);
    }
    if (is_joint()) keep(s, position, stage);
  }

  // Stores what later stages use of this one's reductions.
  void keep(size_t s, ExprId position, Stage& stage) {
    const uint32_t first = first_reduction(source_, s);
    for (size_t r = 0; r < source_.stages[s].reductions.size(); ++r) {
      if (!kept_[first + r]) continue;
      const std::vector<ExprId>& finish = source_.stages[s].reductions[r].finish;
      std::vector<BufferId>& places = place_of_[first + r];
      for (uint32_t c = 0; c < finish.size(); ++c) {
        const Dtype dtype = source_.exprs[finish[c]].dtype;
        if (places.size() <= c) places.push_back(add_scratch(dtype));
        const ExprId value =
            pool().leaf(ExprOp::kReduced, dtype, reduced_payload(number_of_[first + r], c));
        stage.stores.push_back({places[c], position, value, kNoExpr});
      }
    }
  }

  BufferId add_scratch(Dtype dtype) {
    result_.kernel.buffers.push_back({dtype, BufferUse::kInOut});
    result_.scratch.push_back(source_.dims[joint_].extent.constant);
    return static_cast<BufferId>(result_.kernel.buffers.size() - 1);
  }

  Substitution::Replace replacement(ExprId position) {
    return [this, position](const ExprNode& node) -> ExprId {
      if (node.op == ExprOp::kIndex && is_joint() && node.payload == joint_) return position;
      if (node.op != ExprOp::kReduced) return kNoExpr;
      const uint32_t number = reduction_of(node);
      if (is_joint() && !place_of_[number].empty()) {
        return pool().load(place_of_[number][component_of(node)], node.dtype, position);
      }
      return pool().leaf(ExprOp::kReduced, node.dtype,
                         reduced_payload(number_of_[number], component_of(node)));
    };
  }

  // The values are written for one position of the joint dimension, which lanes
  // run along; the copies read them at theirs.
  void write_tile(size_t s, const std::vector<ExprId>& positions) {
    StageTile& tile = result_.tiles[s];
    const bool along_joint = positions.size() > 1;
    const ExprId lane = along_joint ? index_of(pool(), joint_) : positions[0];
    Stage stage = source_.stages[s];
    Substitution symbolic(pool(), replacement(lane));
    for (Reduction& reduction : stage.reductions) {
      for (ExprId& step : reduction.step) step = symbolic(step);
    }
    tile.dim = stage.reduce_dims.front();
    tile.block = result_.schedule.stages[s].tile;
    tile.lane_dim = along_joint ? joint_ : tile.dim;
    tile.width = along_joint ? source_.dims[joint_].extent.constant : 1;
    tile.values = tile_values(result_.kernel, stage);
    for (ExprId position : positions) {
      Substitution copy(pool(), [&](const ExprNode& node) {
        return along_joint && node.op == ExprOp::kIndex && node.payload == joint_ ? position
                                                                                  : kNoExpr;
      });
      for (size_t v = 0; v < tile.values.size(); ++v) {
        tile.uses.push_back({copy(tile.values[v]), v, along_joint ? position : kNoExpr});
      }
    }
    add_prefetches(s, stage, tile);
  }

  // Gathered rows that the tile's values do not touch themselves.
  void add_prefetches(size_t s, const Stage& stage, StageTile& tile) {
    std::vector<bool> seen;
    std::vector<ExprId> order;
    for (ExprId value : tile.values) append_post_order(pool(), value, seen, order);
    order.clear();
    for (const Reduction& reduction : stage.reductions) {
      for (ExprId step : reduction.step) append_post_order(pool(), step, seen, order);
    }
    const Strides along(result_.kernel, tile.dim);
    std::vector<DimId> spanned = source_.stages[s].map_dims;
    if (is_joint()) spanned.push_back(joint_);
    for (ExprId id : order) {
      const ExprNode load = pool()[id];
      if (load.op != ExprOp::kLoad || load.operands[1] != kNoExpr) continue;
      if (along[load.operands[0]].kind != LinearTerm::Kind::kOther) continue;
      tile.prefetch.push_back(row_of(load, spanned));
    }
  }

  // All that the dimensions reach from the load's address at their start.
  TilePrefetch row_of(const ExprNode& load, const std::vector<DimId>& dims) {
    int64_t elements = 1;
    for (DimId dim : dims) {
      const LinearTerm term = Strides(result_.kernel, dim)[load.operands[0]];
      const Extent& extent = source_.dims[dim].extent;
      const bool known = term.kind == LinearTerm::Kind::kLinear && term.scalar < 0 &&
                         term.multiplier > 0 && extent.scalar < 0;
      if (known) elements += (extent.constant - 1) * term.multiplier;
    }
    Substitution start(pool(), [&](const ExprNode& node) {
      const bool is_start = node.op == ExprOp::kIndex &&
                            std::find(dims.begin(), dims.end(), node.payload) != dims.end();
      return is_start ? pool().constant(Dtype::kInt64, int64_t{0}) : kNoExpr;
    });
    TilePrefetch prefetch;
    prefetch.buffer = static_cast<BufferId>(load.payload);
    prefetch.offset = start(load.operands[0]);
    prefetch.bytes = std::min(kMostPrefetched, elements * dtype_size(load.dtype));
    return prefetch;
  }

  Expr wrap(ExprId id) { return {&pool(), id}; }

  const Kernel& source_;
  ScheduledKernel result_;
  DimId joint_ = kNoDim;
  uint32_t next_ = 0;                            // number of the next reduction
  std::vector<bool> kept_;                       // by reduction of the source
  std::vector<uint32_t> number_of_;              // the new number of its latest copy
  std::vector<std::vector<BufferId>> place_of_;  // scratch, by component
};

}  // namespace

ScheduledKernel apply_schedule(const Kernel& kernel, const Schedule& schedule) {
  ScheduledKernel scheduled = Writer(kernel, schedule).run();
  if (schedule.joint_rows) {
    scheduled.early.resize(scheduled.kernel.stages.size());
  } else {
    store_early(scheduled);
  }
  return scheduled;
}

}  // namespace nfx
