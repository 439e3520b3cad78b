// Reductions. States are carried flat, reduction by reduction, component by
// component, part by part. Between loops a state has one part; inside a loop of
// several, the others start from `init` and are merged into the first at its end.
#include "jit/emitter.h"

namespace nfx::jit {
size_t Emitter::first_reduction(size_t stage) const {
  size_t first = 0;
  for (size_t i = 0; i < stage; ++i) first += kernel_.stages[i].reductions.size();
  return first;
}

bool Emitter::state_has_lanes(size_t stage, size_t reduction) const {
  if (scopes_.back().lanes.scalar()) return false;
  if (plan_.stages[stage].reduces) return true;
  const Variance& variance =
      plan_.row_dim != kNoDim ? plan_.row_variance : plan_.stage_variance[stage];
  return variance.reductions[first_reduction(stage) + reduction];
}

// The states of one reduction, from the flat list that starts at it.
std::vector<LaneValue> Emitter::state_values(size_t stage, size_t reduction,
                                             llvm::ArrayRef<llvm::Value*> flat) {
  const Stage& owner = kernel_.stages[stage];
  const auto parts_of = [&](size_t r) -> size_t {
    return state_has_lanes(stage, r) ? static_cast<size_t>(scope().lanes.parts) : 1;
  };
  size_t position = 0;
  for (size_t r = 0; r < reduction; ++r) position += owner.reductions[r].init.size() * parts_of(r);
  std::vector<LaneValue> values;
  for (size_t c = 0; c < owner.reductions[reduction].init.size(); ++c) {
    LaneValue value;
    value.kind =
        state_has_lanes(stage, reduction) ? LaneValue::Kind::kVector : LaneValue::Kind::kUniform;
    for (size_t part = 0; part < parts_of(reduction); ++part) {
      value.parts.push_back(flat[position++]);
    }
    values.push_back(std::move(value));
  }
  return values;
}

Values Emitter::initial_states(size_t stage) {
  Values flat;
  for (size_t r = 0; r < kernel_.stages[stage].reductions.size(); ++r) {
    for (ExprId init : kernel_.stages[stage].reductions[r].init) {
      const LaneValue value = eval(init);
      if (!state_has_lanes(stage, r)) {
        flat.push_back(value.scalar());
        continue;
      }
      for (llvm::Value* part : vectors(value, depth())) flat.push_back(part);
    }
  }
  return flat;
}

Values Emitter::merge_states(size_t stage, llvm::ArrayRef<llvm::Value*> a,
                             llvm::ArrayRef<llvm::Value*> b) {
  Values flat;
  for (size_t r = 0; r < kernel_.stages[stage].reductions.size(); ++r) {
    const std::vector<LaneValue> state = state_values(stage, r, a);
    const std::vector<LaneValue> other = state_values(stage, r, b);
    push_scope();
    scope().holds_state = true;
    scope().state = state;
    scope().other = other;
    for (ExprId merge : kernel_.stages[stage].reductions[r].merge) {
      const LaneValue value = eval(merge);
      const Values parts =
          state_has_lanes(stage, r) ? vectors(value, depth()) : Values{value.scalar()};
      flat.append(parts.begin(), parts.end());
    }
    pop_scope();
  }
  return flat;
}

// One step for every reduction; lanes outside the mask keep their state.
Values Emitter::reduce_step(size_t stage, llvm::ArrayRef<llvm::Value*> states) {
  Values flat;
  for (size_t r = 0; r < kernel_.stages[stage].reductions.size(); ++r) {
    const std::vector<LaneValue> state = state_values(stage, r, states);
    const bool lanes = state_has_lanes(stage, r);
    push_scope();
    scope().holds_state = true;
    scope().state = state;
    size_t component = 0;
    for (ExprId step : kernel_.stages[stage].reductions[r].step) {
      const LaneValue value = eval(step);
      Values parts = lanes ? vectors(value, depth()) : Values{value.scalar()};
      if (plan_.stages[stage].reduces && !scope().masks.empty()) {
        llvm::Value* old = state[component].parts[0];
        parts[0] = here().CreateSelect(scope().masks[0], parts[0], old);
      }
      flat.append(parts.begin(), parts.end());
      ++component;
    }
    pop_scope();
  }
  for (const Store& store : early_[stage]) emit_store(store);
  return flat;
}

// Merges the parts of each state pairwise down to one.
Values Emitter::join_parts(size_t stage, llvm::ArrayRef<llvm::Value*> states, int parts) {
  Values flat(states.begin(), states.end());
  push_scope();
  const int width = scope().lanes.width;
  for (int half = parts / 2; half >= 1; half /= 2) {
    Values low;
    Values high;
    for (size_t base = 0; base < flat.size(); base += static_cast<size_t>(2 * half)) {
      for (int part = 0; part < half; ++part) {
        low.push_back(flat[base + static_cast<size_t>(part)]);
        high.push_back(flat[base + static_cast<size_t>(part + half)]);
      }
    }
    scope().lanes = {width, half};
    flat = merge_states(stage, low, high);
  }
  pop_scope();
  return flat;
}

// Merges the upper half of the lanes into the lower down to one scalar.
Values Emitter::join_lanes(size_t stage, Values states) {
  push_scope();
  for (int half = scope().lanes.width / 2; half >= 1; half /= 2) {
    Values low;
    Values high;
    for (llvm::Value* state : states) {
      llvm::IRBuilder<>& b = here();
      if (half == 1) {
        low.push_back(b.CreateExtractElement(state, uint64_t{0}));
        high.push_back(b.CreateExtractElement(state, uint64_t{1}));
        continue;
      }
      llvm::SmallVector<int, 64> lower;
      llvm::SmallVector<int, 64> upper;
      for (int lane = 0; lane < half; ++lane) {
        lower.push_back(lane);
        upper.push_back(lane + half);
      }
      low.push_back(b.CreateShuffleVector(state, lower));
      high.push_back(b.CreateShuffleVector(state, upper));
    }
    scope().lanes = {half, 1};
    states = merge_states(stage, low, high);
  }
  pop_scope();
  return states;
}

void Emitter::finish_reductions(size_t stage, llvm::ArrayRef<llvm::Value*> states) {
  const size_t first = first_reduction(stage);
  for (size_t r = 0; r < kernel_.stages[stage].reductions.size(); ++r) {
    const std::vector<LaneValue> state = state_values(stage, r, states);
    push_scope();
    scope().holds_state = true;
    scope().state = state;
    std::vector<LaneValue> components;
    for (ExprId finish : kernel_.stages[stage].reductions[r].finish) {
      components.push_back(eval(finish));
      // The stage's own scope is gone when later stages use it.
      const int owner = kernel_.stages[stage].map_dims.empty() ? depth() - 2 : depth() - 1;
      components.back().level = std::min(components.back().level, owner);
    }
    reduced_[first + r] = std::move(components);
    pop_scope();
  }
}

void Emitter::emit_reductions(size_t number) {
  const Stage& stage = kernel_.stages[number];
  if (stage.reductions.empty()) return;
  const StagePlan& plan = plan_.stages[number];
  llvm::Value* nonempty = all_nonempty(stage.reduce_dims);
  if (!plan.reduces) {
    const Values initial = initial_states(number);
    finish_reductions(number, emit_if(nonempty, false, initial,
                                      [&] { return reduce_level(number, 0, initial); }));
    return;
  }
  // Lanes exist only inside; what leaves is one scalar a component.
  const Values initial = initial_states(number);
  const Values merged = emit_if(nonempty, false, initial, [&] {
    push_scope();
    scope().lanes = {plan.lanes.width, 1};
    Values states = reduce_level(number, 0, initial_states(number));
    states = join_lanes(number, std::move(states));
    pop_scope();
    return states;
  });
  finish_reductions(number, merged);
}

}  // namespace nfx::jit
