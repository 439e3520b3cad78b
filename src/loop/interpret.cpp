#include "loop/interpret.h"

#include <bit>
#include <cassert>
#include <unordered_map>

#include "expr/evaluate.h"

namespace nfx {
namespace {

using Values = std::vector<Value>;

class Interpreter {
 public:
  Interpreter(const Kernel& kernel, void* const* buffers, const int64_t* scalars,
              const Schedule* schedule)
      : kernel_(kernel),
        buffers_(buffers),
        scalars_(scalars),
        schedule_(schedule),
        positions_(kernel.dims.size(), 0),
        values_(kernel.exprs.size()),
        reduced_(first_reduction(kernel, kernel.stages.size())) {}

  void run_row(int64_t row) {
    for (size_t k = kernel_.row_dims.size(); k-- > 0;) {
      const DimId dim = kernel_.row_dims[k];
      const int64_t extent = value_of(kernel_.dims[dim].extent, scalars_);
      positions_[dim] = row % extent;
      row /= extent;
    }
    for (size_t s = 0; s < kernel_.stages.size(); ++s) run_stage(s);
  }

 private:
  struct Range {
    int64_t begin;
    int64_t end;
  };

  // The partial results of a stage's reductions.
  using States = std::vector<Values>;

  void run_stage(size_t number) {
    const Stage& stage = kernel_.stages[number];
    for_each_position(stage.map_dims, 0, [&] {
      reduce(stage, number);
      for (const Store& store : stage.stores) run_store(store);
    });
  }

  template <class Visit>
  void for_each_position(const std::vector<DimId>& dims, size_t depth, const Visit& visit) {
    if (depth == dims.size()) return visit();
    const Range range = range_of(dims[depth]);
    for (int64_t at = range.begin; at < range.end; ++at) {
      positions_[dims[depth]] = at;
      for_each_position(dims, depth + 1, visit);
    }
  }

  Range range_of(DimId id) const {
    const Dim& dim = kernel_.dims[id];
    if (dim.kind == Dim::Kind::kDense) return {0, value_of(dim.extent, scalars_)};
    const auto* offsets = static_cast<const int64_t*>(buffers_[dim.offsets]);
    const int64_t parent = positions_[dim.parent];
    return {offsets[parent], offsets[parent + 1]};
  }

  void reduce(const Stage& stage, size_t number) {
    if (stage.reductions.empty()) return;
    const bool split = schedule_ != nullptr && number < schedule_->stages.size();
    const int64_t block = split ? schedule_->stages[number].block : 0;
    const auto accumulators =
        static_cast<size_t>(split ? schedule_->stages[number].accumulators : 1);
    const States fresh = initial_states(stage);
    std::vector<States> partial(accumulators, fresh);
    States total = fresh;
    int64_t steps = 0;
    for_each_position(stage.reduce_dims, 0, [&] {
      step(stage, partial[static_cast<size_t>(steps) % accumulators]);
      ++steps;
      if (block == 0 || steps % block != 0) return;
      for (States& states : partial) merge(stage, total, states);
      partial.assign(accumulators, fresh);
    });
    // Without a split there is one state, and nothing to merge.
    const bool whole = block == 0 && accumulators == 1;
    if (whole) total = partial[0];
    for (States& states : partial) {
      if (!whole) merge(stage, total, states);
    }
    finish(stage, number, total);
  }

  States initial_states(const Stage& stage) {
    States states;
    for (const Reduction& reduction : stage.reductions) {
      states.push_back(evaluate_all(reduction.init, nullptr, nullptr));
    }
    return states;
  }

  void step(const Stage& stage, States& states) {
    for (size_t r = 0; r < stage.reductions.size(); ++r) {
      states[r] = evaluate_all(stage.reductions[r].step, &states[r], nullptr);
    }
  }

  void merge(const Stage& stage, States& into, const States& from) {
    for (size_t r = 0; r < stage.reductions.size(); ++r) {
      into[r] = evaluate_all(stage.reductions[r].merge, &into[r], &from[r]);
    }
  }

  void finish(const Stage& stage, size_t number, const States& states) {
    const size_t first = first_reduction(kernel_, number);
    for (size_t r = 0; r < stage.reductions.size(); ++r) {
      reduced_[first + r] = evaluate_all(stage.reductions[r].finish, &states[r], nullptr);
    }
  }

  void run_store(const Store& store) {
    state_ = other_ = nullptr;
    if (store.guard != kNoExpr && !as_bool(evaluate_root(store.guard))) return;
    const int64_t offset = evaluate_root(store.offset).integer;
    store_value(buffers_[store.buffer], offset, evaluate_root(store.value));
  }

  Values evaluate_all(const std::vector<ExprId>& roots, const Values* state, const Values* other) {
    state_ = state;
    other_ = other;
    Values values;
    for (ExprId root : roots) values.push_back(evaluate_root(root));
    return values;
  }

  Value evaluate_root(ExprId root) {
    for (ExprId id : order_of(root)) values_[id] = evaluate_node(kernel_.exprs[id]);
    return values_[root];
  }

  const std::vector<ExprId>& order_of(ExprId root) {
    auto [entry, is_new] = orders_.try_emplace(root);
    if (is_new) {
      std::vector<bool> seen;
      append_post_order(kernel_.exprs, root, seen, entry->second);
    }
    return entry->second;
  }

  Value evaluate_node(const ExprNode& node) {
    if (node.op == ExprOp::kLoad) return evaluate_load(node);
    if (is_leaf(node.op)) return evaluate_leaf(node);
    Value operands[3];
    for (int k = 0; k < arity(node.op); ++k) operands[k] = values_[node.operands[k]];
    return evaluate(node, operands);
  }

  Value evaluate_load(const ExprNode& node) {
    const ExprId guard = node.operands[1];
    if (guard != kNoExpr && !as_bool(values_[guard])) return {node.dtype, 0, 0};
    return load_value(buffers_[node.payload], values_[node.operands[0]].integer, node.dtype);
  }

  Value evaluate_leaf(const ExprNode& node) {
    switch (node.op) {
      case ExprOp::kConst: return constant_value(node);
      case ExprOp::kIndex: return {Dtype::kInt64, 0, positions_[node.payload]};
      case ExprOp::kReduced: return reduced_[reduction_of(node)][component_of(node)];
      case ExprOp::kState: return (*state_)[node.payload];
      case ExprOp::kOther: return (*other_)[node.payload];
      default: break;
    }
    assert(node.op == ExprOp::kScalar && "a kernel has no operands of op rows");
    const int64_t slot = scalars_[node.payload];
    if (node.dtype == Dtype::kFloat64) return {node.dtype, std::bit_cast<double>(slot), 0};
    return {node.dtype, 0, slot};
  }

  const Kernel& kernel_;
  void* const* buffers_;
  const int64_t* scalars_;
  const Schedule* schedule_;
  std::vector<int64_t> positions_;  // by dimension
  Values values_;                   // by expression, of the root at hand
  std::vector<Values> reduced_;     // by reduction, then component
  const Values* state_ = nullptr;
  const Values* other_ = nullptr;
  std::unordered_map<ExprId, std::vector<ExprId>> orders_;
};

}  // namespace

void interpret(const Kernel& kernel, void* const* buffers, const int64_t* scalars,
               int64_t begin_row, int64_t end_row, const Schedule* schedule) {
  Interpreter interpreter(kernel, buffers, scalars, schedule);
  for (int64_t row = begin_row; row < end_row; ++row) interpreter.run_row(row);
}

void interpret(const Kernel& kernel, void* const* buffers, const int64_t* scalars) {
  interpret(kernel, buffers, scalars, 0, row_count(kernel, scalars));
}

}  // namespace nfx
