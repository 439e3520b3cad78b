// Emission state of one kernel: where each value is computed, and in how many
// lanes.
//
// Scopes nest as the loops do: function, rows, one row, stage, map loops, reduce
// loops. An expression is emitted once, in the outermost scope where all it
// depends on exists, so nothing that a row shares is computed per element. Loads
// do not leave a scope that may not run (its memory may not exist), and loads of
// buffers that the kernel writes stay where they are used.
#pragma once
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/IRBuilder.h>

#include <map>
#include <vector>

#include "jit/math_builder.h"
#include "jit/scope.h"
#include "jit/target.h"
#include "loop/scheduled.h"

namespace nfx::jit {

class Emitter {
 public:
  Emitter(const ScheduledKernel& scheduled, const Target& target, llvm::Function* function);

  void emit_kernel();

 private:
  using Body = llvm::function_ref<Values()>;
  using LoopBody = llvm::function_ref<Values(llvm::Value* index, llvm::ArrayRef<llvm::Value*>)>;
  using PositionBody = llvm::function_ref<void()>;

  // emit_kernel.cpp: rows
  void read_parameters();
  void emit_rows(llvm::Value* begin, llvm::Value* end);
  void emit_row_block(llvm::Value* block);
  void emit_stages(size_t first, size_t last);
  size_t leading_uniform_stages() const;
  llvm::Value* extent(DimId dim);
  llvm::Value* row_blocks();
  Values decode_rows(llvm::Value* item);
  Values next_rows(llvm::ArrayRef<llvm::Value*> positions);

  // emit_stage.cpp: the map loops of a stage
  void emit_stage(size_t stage);
  void emit_map_loops(size_t stage, size_t depth);
  void emit_position(size_t stage);
  Range range(DimId dim);
  llvm::Value* all_nonempty(llvm::ArrayRef<DimId> dims);
  void set_index(DimId dim, llvm::Value* position, bool lanes);
  void prefetch_rows(size_t stage, DimId dim);
  void prefetch_at(DimId dim, int distance, llvm::ArrayRef<ExprId> loads);
  void prefetch_address(const ExprNode& load);
  void prefetch_tile_rows(size_t stage);
  void prefetch_lines(llvm::Value* address, int64_t bytes);
  llvm::Value* position_ahead(DimId dim, int distance);
  bool is_known_ahead(ExprId id) const;
  bool is_fetched_before(size_t stage, ExprId load) const;

  // emit_tile.cpp: values of a block of positions, computed in lanes of their own
  Values reduce_tiled(size_t stage, Range span, llvm::ArrayRef<llvm::Value*> states);
  void fill_tile(size_t stage, Range block);
  void fill_position(size_t stage, llvm::Value* place);
  void read_tile(size_t stage, llvm::Value* place);
  llvm::Value* tile_memory(size_t stage, size_t value);
  bool has_tile(size_t stage) const { return tiles_[stage].dim != kNoDim; }

  // emit_reduction.cpp
  void emit_reductions(size_t stage);
  Values reduce_level(size_t stage, size_t depth, Values states);
  Values reduce_carried(size_t stage, size_t depth, Range span, Values states);
  Values reduce_blocked(size_t stage, size_t depth, Range span, Values states,
                        llvm::ArrayRef<int64_t> sizes);
  std::vector<int64_t> block_sizes(size_t stage, DimId dim) const;
  Values reduce_lanes(size_t stage, DimId dim, Range span, Values states);
  Values reduce_step(size_t stage, llvm::ArrayRef<llvm::Value*> states);
  Values initial_states(size_t stage);
  Values merge_states(size_t stage, llvm::ArrayRef<llvm::Value*> a, llvm::ArrayRef<llvm::Value*> b);
  Values join_parts(size_t stage, llvm::ArrayRef<llvm::Value*> states, int parts);
  Values join_lanes(size_t stage, Values states);
  void finish_reductions(size_t stage, llvm::ArrayRef<llvm::Value*> states);
  bool state_has_lanes(size_t stage, size_t reduction) const;
  std::vector<LaneValue> state_values(size_t stage, size_t reduction,
                                      llvm::ArrayRef<llvm::Value*> flat);
  size_t first_reduction(size_t stage) const;
  bool cascades(size_t stage, DimId dim, size_t depth) const;

  // emit_loop.cpp: control flow
  Values emit_if(llvm::Value* condition, bool certain, llvm::ArrayRef<llvm::Value*> otherwise,
                 Body body);
  Values emit_loop(Range span, llvm::Value* step, llvm::ArrayRef<llvm::Value*> carried,
                   LoopBody body);
  void emit_lane_loop(DimId dim, Range span, Lanes lanes, PositionBody body);
  llvm::Value* tail_mask(llvm::Value* remaining, int width);
  void push_scope(bool certain = true);
  void pop_scope();
  void redirect(llvm::Instruction* from, llvm::Instruction* to);
  Scope& scope() { return scopes_.back(); }
  int depth() const { return static_cast<int>(scopes_.size()) - 1; }
  llvm::IRBuilder<>& at(int level);
  llvm::IRBuilder<>& here() { return at(depth()); }

  // emit_value.cpp: expressions
  LaneValue eval(ExprId id);
  LaneValue compute(ExprId id);
  LaneValue apply(const ExprNode& node, llvm::ArrayRef<LaneValue> operands);
  LaneValue contracted(const ExprNode& node, bool& done);
  bool contracts(const ExprNode& node, int operand) const;
  LaneValue affine(const ExprNode& node, llvm::ArrayRef<LaneValue> operands, int level, bool& done);
  Values vectors(const LaneValue& value, int level);
  llvm::Value* iota(llvm::Type* element, int width, int first);
  llvm::Value* constant(const ExprNode& node);
  LaneValue uniform(llvm::Value* value, int level = 0) const;

  // emit_memory.cpp
  LaneValue emit_load(const ExprNode& node);
  LaneValue load_lanes(const ExprNode& node, const LaneValue& offset, const LaneValue* guard,
                       int level);
  llvm::Value* load_scalar(const ExprNode& node, llvm::Value* offset, llvm::Value* guard);
  int load_level(BufferId buffer) const;
  llvm::Value* any_lane(int level);
  void emit_store(const Store& store);
  void store_value(const Store& store);
  void store_lanes(const Store& store, const LaneValue& offset, const LaneValue& value);
  Values lane_masks(const LaneValue* guard, int level);  // one a part; empty: all lanes
  llvm::Value* element_address(BufferId buffer, llvm::Value* offset);

  const Kernel& kernel_;
  const Schedule& schedule_;
  const std::vector<int64_t>& scratch_;
  const std::vector<StageTile>& tiles_;
  const std::vector<std::vector<Store>>& early_;
  const Target& target_;
  llvm::Function* function_;
  llvm::IRBuilder<> builder_;
  MathBuilder math_;
  LanePlan plan_;
  std::vector<Scope> scopes_;
  std::vector<llvm::Value*> buffers_;
  std::vector<llvm::Value*> scalars_;
  std::vector<LaneValue> indices_;               // per dimension, where its loop is open
  std::vector<std::vector<LaneValue>> reduced_;  // per reduction: finished components
  std::vector<uint32_t> uses_;                   // per expression: operands and roots that name it
  std::vector<bool> written_;                    // per buffer
  std::map<std::pair<size_t, size_t>, llvm::Value*> tile_memory_;  // by stage and value
  int stage_level_ = 0;                                            // the scope of the stage at hand
};

}  // namespace nfx::jit
