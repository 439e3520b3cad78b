#include "jit/kernel_key.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdio>

#include "jit/lanes.h"

namespace nfx::jit {
namespace {

class KeyWriter {
 public:
  explicit KeyWriter(const Kernel& kernel) : kernel_(kernel) {}

  std::string write(const Schedule& schedule) {
    write_interface();
    write_expressions();
    for (const Stage& stage : kernel_.stages) write_stage(stage);
    write_schedule(schedule);
    return std::move(bytes_);
  }

 private:
  void put(int64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void put_expr(ExprId id) { put(id == kNoExpr ? -1 : numbers_[id]); }
  void put_exprs(const std::vector<ExprId>& ids) {
    put(static_cast<int64_t>(ids.size()));
    for (ExprId id : ids) put_expr(id);
  }
  void put_dims(const std::vector<DimId>& ids) {
    put(static_cast<int64_t>(ids.size()));
    for (DimId id : ids) put(id);
  }

  void write_interface() {
    put(static_cast<int64_t>(kernel_.buffers.size()));
    for (const KernelBuffer& buffer : kernel_.buffers) put(static_cast<int64_t>(buffer.dtype));
    put(static_cast<int64_t>(kernel_.scalars.size()));
    for (Dtype dtype : kernel_.scalars) put(static_cast<int64_t>(dtype));
    put(static_cast<int64_t>(kernel_.dims.size()));
    for (const Dim& dim : kernel_.dims) {
      put(static_cast<int64_t>(dim.kind));
      put(dim.extent.constant);
      put(dim.extent.scalar);
      put(dim.parent);
      put(dim.offsets);
    }
    put_dims(kernel_.row_dims);
  }

  // The used ones, numbered in order.
  void write_expressions() {
    std::vector<ExprId> roots;
    for (const Stage& stage : kernel_.stages) {
      for (ExprId id : stage_roots(stage)) roots.push_back(id);
      for (const Reduction& reduction : stage.reductions) {
        for (const auto* part : {&reduction.init, &reduction.merge, &reduction.finish}) {
          roots.insert(roots.end(), part->begin(), part->end());
        }
      }
    }
    numbers_.assign(kernel_.exprs.size(), -1);
    int64_t next = 0;
    for (ExprId id : reachable(kernel_, roots)) {
      const ExprNode& node = kernel_.exprs[id];
      put(static_cast<int64_t>(node.op) << 8 | static_cast<int64_t>(node.dtype));
      put(static_cast<int64_t>(node.payload));
      for (ExprId operand : node.operands) put_expr(operand);
      numbers_[id] = next++;
    }
    put(-1);
  }

  void write_stage(const Stage& stage) {
    put_dims(stage.map_dims);
    put_dims(stage.reduce_dims);
    put(static_cast<int64_t>(stage.reductions.size()));
    for (const Reduction& reduction : stage.reductions) {
      put_exprs(reduction.init);
      put_exprs(reduction.step);
      put_exprs(reduction.merge);
      put_exprs(reduction.finish);
    }
    put(static_cast<int64_t>(stage.stores.size()));
    for (const Store& store : stage.stores) {
      put(store.buffer);
      put_expr(store.offset);
      put_expr(store.value);
      put_expr(store.guard);
    }
  }

  void write_schedule(const Schedule& schedule) {
    put(schedule.vector_rows);
    put(schedule.row_block);
    put(schedule.joint_rows);
    for (const StageSchedule& stage : schedule.stages) {
      put(stage.vector_dim);
      put(stage.accumulators);
      put(stage.block);
      put(stage.prefetch);
      put(stage.tile);
      put(stage.unroll);
    }
  }

  const Kernel& kernel_;
  std::vector<int64_t> numbers_;
  std::string bytes_;
};

}  // namespace

std::string kernel_key(const Kernel& kernel, const Schedule& schedule) {
  return KeyWriter(kernel).write(schedule);
}

std::string hash_text(const std::string& bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

}  // namespace nfx::jit
