#include "runtime/executor.h"

#include <algorithm>

#include "runtime/execute_step.h"
#include "runtime/profile.h"

namespace nfx {
namespace {

struct WrongInput {
  static constexpr std::string_view kCode = "wrong-input";
  std::string problem;
  std::string message() const { return problem; }
  std::string help() const { return "call it with inputs like those it was compiled for"; }
};
NFX_DIAGNOSTIC(WrongInput);

Status take_inputs(Frame& frame, std::span<RunInput> inputs) {
  const Plan& plan = frame.plan;
  if (inputs.size() != plan.inputs.size()) {
    return diagnose(WrongInput{std::to_string(inputs.size()) + " inputs for a graph of " +
                               std::to_string(plan.inputs.size())});
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const PlanInput& input = plan.inputs[i];
    if (input.kind == PlanInput::Kind::kUnused) continue;
    if (input.kind != PlanInput::Kind::kTensor) {
      frame.numbers[input.number] = inputs[i].number;
      continue;
    }
    if (inputs[i].tensor == nullptr) {
      return diagnose(WrongInput{"input `" + input.name + "` is no tensor"});
    }
    frame.handles[input.slot] = inputs[i].tensor;
    frame.input_owners[input.slot] = std::move(inputs[i].owner);
  }
  return success();
}

bool same_symbols(const Frame& frame) {
  const Plan& plan = frame.plan;
  for (size_t i = 0; i < plan.input_symbols.size(); ++i) {
    if (frame.numbers[plan.input_symbols[i]] != frame.known_symbols[i]) return false;
  }
  return true;
}

// After the numbers are known: what is read by address must lie as planned.
Status check_inputs(Frame& frame) {
  for (const PlanInput& input : frame.plan.inputs) {
    if (input.kind != PlanInput::Kind::kTensor) continue;
    const Slot& slot = frame.plan.slots[input.slot];
    if (slot.check_shape) {
      NFX_ASSIGN(AtenTensor relaid,
                 laid_out_as_planned(frame, input.slot, frame.handles[input.slot]));
      if (relaid) {
        const AtenHandle original = std::exchange(frame.handles[input.slot], relaid.get());
        frame.relaid.push_back({input.slot, original, std::move(relaid)});
      }
    }
    if (slot.needs_data) {
      frame.data[input.slot] = static_cast<std::byte*>(AtenView(frame.handles[input.slot]).data());
    }
  }
  return success();
}

void give_outputs(Frame& frame, std::span<const RunInput> inputs, std::span<RunOutput> outputs) {
  const Plan& plan = frame.plan;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const PlanOutput& output = plan.outputs[i];
    switch (output.kind) {
      case PlanOutput::Kind::kNone: break;
      case PlanOutput::Kind::kInput:
        outputs[i].tensor = AtenTensor::share(inputs[output.source].tensor);
        break;
      case PlanOutput::Kind::kMovedTensor:
        outputs[i].tensor = AtenTensor(std::exchange(frame.handles[output.source], nullptr));
        break;
      case PlanOutput::Kind::kTensor:
        if (frame.handles[output.source] == nullptr) break;
        outputs[i].tensor = AtenTensor::share(frame.handles[output.source]);
        break;
      default: outputs[i].number = frame.numbers[output.source]; break;
    }
  }
}

// What was written to a relaid copy belongs into the caller's tensor.
Status write_back(Frame& frame) {
  for (const Frame::Relaid& relaid : frame.relaid) {
    if (!frame.plan.slots[relaid.slot].mutated) continue;
    if (aten_abi().copy_(relaid.original, relaid.copy.get(), 0) != 0) {
      return aten_failure("aten::copy_");
    }
  }
  return success();
}

Status run_recorded(Frame& frame) {
  const Plan& plan = frame.plan;
  const ProfileScope whole({.name = "plan", .category = "plan", .plan = &plan});
  for (const Step& step : plan.steps) {
    const ProfileScope scope(step_event(plan, step));
    NFX_TRY(execute_step(frame, step));
  }
  return write_back(frame);
}

Status run_steps(Frame& frame) {
  read_symbols(frame, frame.plan.symbols);
  if (!frame.is_laid_out || !same_symbols(frame)) NFX_TRY(frame.lay_out());
  NFX_TRY(frame.take_arena());
  NFX_TRY(check_inputs(frame));
  if (is_profiling()) return run_recorded(frame);
  for (const Step& step : frame.plan.steps) NFX_TRY(execute_step(frame, step));
  return write_back(frame);
}

}  // namespace

Status run_plan(Frame& frame, std::span<RunInput> inputs, std::span<RunOutput> outputs) {
  assert(outputs.size() == frame.plan.outputs.size() && "one place an output");
  Status status = take_inputs(frame, inputs);
  if (status) {
    const AtenNoGrad no_grad;
    status = run_steps(frame);
  }
  frame.give_arena_back();
  if (!status) {
    frame.drop_transient();
    return status;
  }
  give_outputs(frame, inputs, outputs);
  frame.drop_inputs();
  return success();
}

}  // namespace nfx
