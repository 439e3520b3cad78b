// The state of one lowering; its functions stand by subject in lower_*.cpp.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "compiler/lower.h"
#include "compiler/memory_roots.h"
#include "compiler/number_table.h"
#include "compiler/step_order.h"
#include "ir/argument_view.h"

namespace nfx {

class PlanLowering {
 public:
  PlanLowering(const Graph& graph, Runners& runners, const Fusion* fusion, const KernelCode& code,
               const CompileOptions& options);

  Result<std::unique_ptr<Plan>> run();

 private:
  // ---- inputs, constants, outputs: lower.cpp
  void lower_inputs();
  void lower_tensor_symbols(SlotId slot, const Type& type, std::vector<SymbolSource>& sources);
  Status lower_constants();
  Status lower_outputs();
  Status lower_output(ArgumentView argument);
  Status finish_numbers();

  // ---- slots and numbers of values: lower_slots.cpp
  SlotId add_slot(Slot slot, const Type& type, Node node);
  // Memory for a value that a step writes: in the arena, or its own if it leaves.
  bool has_own_memory(SymExprId bytes) const;
  SlotId make_memory(ValueId root, Node node);
  // The slot of a tensor. A view gets one when it is first asked for.
  Result<SlotId> slot_of(ValueId value);
  Result<SlotId> view_slot(ValueId value, SlotId base);
  NumberId view_offset(ValueId value, ValueId root);
  // As slot_of; at this point of the plan the slot has a handle.
  Result<SlotId> slot_with_handle(ValueId value);
  Result<NumberId> number_of(ValueId value);
  Status mark_written(Node node);  // of a node that still has its call
  void want_layout(SlotId slot) { plan_->slots[slot].check_shape |= has_shape(slot); }
  bool has_shape(SlotId slot) const { return plan_->slots[slot].shape != kNoIndex; }
  // Adds a step that uses the slots named since the last such step. What it needs
  // (views, memory) may add steps of its own in between.
  void use(SlotId slot) { uses_.push_back(slot); }
  void add_step(StepKind kind, uint32_t index);
  // A step that makes a handle or memory, and uses nothing else.
  void add_preparation(StepKind kind, SlotId slot);
  void touch(SlotId slot);

  // ---- steps: lower_aten.cpp, lower_external.cpp, lower_kernel.cpp
  Status lower_unit(const StepUnit& unit);
  Status lower_aten(Node node);
  bool can_write(const AtenCall& call, Node node) const;
  Status lower_argument(AtenStep& step, size_t position, ArgumentView argument);
  Status lower_operand(AtenStep& step, size_t position, Node operand);
  Status lower_list(AtenStep& step, size_t position, ArgumentView argument);
  Status lower_item(AtenStep& step, const ListArg& list, uint32_t place, ArgumentView item);
  Status lower_external(Node node);
  Result<ExternalCall> external_call(Node node);
  std::vector<ResultTarget> result_targets(Node node);
  ResultTarget result_target(ValueId value, bool wanted);
  void find_used_values();
  // After a step whose results have made symbols known: computes with them.
  void place_bind();
  Status lower_kernel(int32_t index);
  Status lower_kernel_buffer(const FusedKernel& fused, size_t index, KernelStep& step);
  Result<IndexBound> index_bound(const FusedKernel::Bound& bound);
  Result<NumberId> kernel_scalar(const FusedKernel::Scalar& scalar);
  NumberId kernel_work(const FusedKernel& fused);

  // ---- lifetimes: lower_lifetimes.cpp
  void place_frees();
  std::vector<uint32_t> last_uses() const;
  void hand_over_outputs();

  const Graph& graph_;
  Context& context_;
  Runners& runners_;
  const Fusion* fusion_;
  const KernelCode& code_;
  const CompileHooks& hooks_;
  const bool own_memory_;
  ValueTable values_;
  MemoryRoots memory_;
  NumberTable numbers_;
  std::unique_ptr<Plan> plan_;
  std::vector<bool> used_;  // by value: a node or a kernel takes it
  std::vector<SlotId> slot_of_value_;
  std::vector<NumberId> number_of_value_;
  std::vector<SlotId> uses_;
  bool bind_pending_ = false;
  std::vector<bool> has_handle_;                // by slot, at this point of the plan
  std::vector<std::vector<SlotId>> may_share_;  // by slot: slots whose memory it may hold
  std::vector<uint32_t> first_use_, last_use_;  // by slot: steps
};

// Names a node of a graph and says why it cannot be part of a plan.
Diagnostic unsupported_node(Node node, std::string why);

}  // namespace nfx
