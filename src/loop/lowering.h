// The state of writing one kernel: values of members, loads of what lies
// outside, stages in the order of their reductions.
#pragma once
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "loop/fuse.h"
#include "loop/group.h"

namespace nfx {

class Lowering {
 public:
  Lowering(const Graph& graph, const Grouping& grouping, int32_t group);
  Status run(const std::vector<KernelOperand>& stored);
  FusedKernel take() && { return std::move(fused_); }

  // ---- for element rules
  ExprPool& pool() { return fused_.kernel.exprs; }
  // A value at a position: from a member, recomputed, or from memory.
  Expr at(Node value, std::span<const Expr> index, Expr guard);
  Expr value_of_member(Node value);
  Expr size(SymExprId expr);
  Expr number(ArgumentView argument, Dtype dtype);
  // Notes the condition on an index that is in memory; false if it is not.
  bool bounded(Node index, SymExprId size, bool negative, Node reader);
  bool is_local(Node value) const { return grouping_.group_of(value) == group_; }
  std::vector<Expr> index_of(const DimMap& map);

 private:
  void find_stages();
  // What a view, projection or spread value inside the group comes from, and
  // which of its results. Only what is known so far counts as a member.
  std::pair<Node, int32_t> member_behind(Node value) const;
  int32_t stage_after(Node value) const;
  const Type& result_type(Node node, size_t result) const;
  Status write_fold(Node node, uint32_t number);
  Status write_stages(const std::vector<KernelOperand>& stored);
  void add_stage(int32_t number);
  void write_stores(const std::vector<KernelOperand>& stored);
  Stage& last_unmapped_stage();
  std::optional<Expr> at_row_of_edge(Node value, std::span<const Expr> index, Expr guard);
  Expr load(Node value, std::span<const Expr> index, Expr guard);
  Expr offset(const Type& type, std::span<const Expr> index);
  BufferId buffer(KernelOperand operand, Dtype dtype, BufferUse use);
  Expr scalar(Node node, Dtype dtype);
  Extent extent(SymExprId size);
  Store store_of(const KernelOperand& operand);
  Expr wrap(ExprId id) { return {&pool(), id}; }

  const Graph& graph_;
  const Grouping& grouping_;
  const int32_t group_;
  Context& context_;
  FusedKernel fused_;
  std::vector<Node> members_;                    // in graph order
  std::vector<std::pair<int32_t, Node>> folds_;  // (stage, reduction), sorted
  std::unordered_map<uint32_t, int32_t>
      after_;  // stages that must have run before the value is known
  std::unordered_map<uint32_t, std::vector<Expr>> values_;  // per member, one per result
  std::map<std::pair<uint32_t, int32_t>, BufferId> buffers_;
  std::unordered_map<uint32_t, int32_t> sizes_;    // SymExprId -> kernel scalar
  std::unordered_map<uint32_t, int32_t> scalars_;  // NodeId -> kernel scalar
};

}  // namespace nfx
