#include "runtime/execute_step.h"

#include <algorithm>
#include <bit>

#include "runtime/kernel_run.h"

namespace nfx {
namespace {

struct UnexpectedShape {
  static constexpr std::string_view kCode = "unexpected-shape";
  std::string name;
  std::string got, planned;
  std::string message() const {
    return "`" + name + "` came as " + got + ", the graph was compiled for " + planned;
  }
  std::string help() const { return "compile for these inputs, or mark the sizes as dynamic"; }
};
NFX_DIAGNOSTIC(UnexpectedShape);

std::string shape_text(Dtype dtype, std::span<const int64_t> sizes) {
  std::string text = std::string(dtype_name(dtype)) + "[";
  for (size_t i = 0; i < sizes.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(sizes[i]);
  }
  return text + "]";
}

std::span<const int64_t> planned_sizes(const Frame& frame, const Slot& slot) {
  if (slot.rank == 0) return {};
  return {frame.numbers.data() + slot.shape, slot.rank};
}
std::span<const int64_t> planned_strides(const Frame& frame, const Slot& slot) {
  if (slot.rank == 0) return {};
  return {frame.numbers.data() + slot.shape + slot.rank, slot.rank};
}

// Strides of dimensions with one element say nothing; without elements none do.
bool same_layout(std::span<const int64_t> sizes, std::span<const int64_t> a,
                 std::span<const int64_t> b) {
  bool same = true;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return true;
    if (sizes[i] != 1 && a[i] != b[i]) same = false;
  }
  return same;
}

Status allocate(Frame& frame, SlotId id) {
  const Slot& slot = frame.plan.slots[id];
  NFX_ASSIGN(AtenTensor fresh, AtenTensor::empty_strided(planned_sizes(frame, slot),
                                                         planned_strides(frame, slot), slot.dtype));
  if (slot.needs_data) frame.data[id] = static_cast<std::byte*>(fresh.view().data());
  frame.handles[id] = fresh.release();
  return success();
}

// A view whose writes PyTorch counts as writes to its base.
Result<AtenTensor> counting_view(AtenHandle base, std::span<const int64_t> sizes,
                                 std::span<const int64_t> strides, int64_t offset) {
  static const Result<AtenCall> call = AtenCall::create(
      "aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, "
      "SymInt? storage_offset=None) -> Tensor(a)");
  if (!call) return call.error();
  const AtenArg args[] = {AtenArg::of_tensor(base), AtenArg::ints(sizes), AtenArg::ints(strides),
                          AtenArg::of_int(offset)};
  AtenValue result;
  NFX_TRY(call->run(args, {&result, 1}));
  return std::move(std::get<AtenTensor>(result));
}

Result<AtenTensor> make_view(Frame& frame, const Slot& slot) {
  const auto sizes = planned_sizes(frame, slot);
  const auto strides = planned_strides(frame, slot);
  const Slot& base = frame.plan.slots[slot.base];
  const int64_t offset = slot.offset == kNoIndex ? 0 : frame.numbers[slot.offset];
  if (base.kind == SlotKind::kArena) {
    return AtenTensor::from_blob(frame.data[slot.base] + offset, sizes, strides, slot.dtype);
  }
  const AtenHandle handle = frame.handles[slot.base];
  const int64_t start = AtenView(handle).storage_offset();
  const int64_t first = start + offset / dtype_size(slot.dtype);
  if (slot.counts_writes) return counting_view(handle, sizes, strides, first);
  return AtenTensor::as_strided(handle, sizes, strides, first);
}

// The handle of a view, or of a tensor in the arena.
Status make_handle(Frame& frame, SlotId id) {
  if (frame.handles[id] != nullptr) return success();  // kept from an earlier run
  const Slot& slot = frame.plan.slots[id];
  Result<AtenTensor> made = slot.kind == SlotKind::kArena
                                ? AtenTensor::from_blob(frame.data[id], planned_sizes(frame, slot),
                                                        planned_strides(frame, slot), slot.dtype)
                                : make_view(frame, slot);
  if (!made) return made.error();
  frame.handles[id] = made->release();
  return success();
}

void apply(Frame& frame, const ArgPatch& patch, uint32_t first_arg) {
  using Target = ArgPatch::Target;
  const auto number = [&] { return frame.numbers[patch.source]; };
  switch (patch.target) {
    case Target::kTensor:
      frame.args[first_arg + patch.place] = AtenArg::of_tensor(frame.handles[patch.source]);
      break;
    case Target::kInt: frame.args[first_arg + patch.place] = AtenArg::of_int(number()); break;
    case Target::kFloat:
      frame.args[first_arg + patch.place] = AtenArg::of_float(std::bit_cast<double>(number()));
      break;
    case Target::kBool:
      frame.args[first_arg + patch.place] = AtenArg::boolean(number() != 0);
      break;
    case Target::kTensorItem: frame.tensor_items[patch.place] = frame.handles[patch.source]; break;
    case Target::kIntItem: frame.int_items[patch.place] = number(); break;
    case Target::kFloatItem:
      frame.float_items[patch.place] = std::bit_cast<double>(number());
      break;
    case Target::kBoolItem: frame.bool_items[patch.place] = number() != 0 ? 1 : 0; break;
  }
}

int64_t number_bits(const ResultTarget& target, double real, int64_t integer, bool is_real) {
  if (target.is_float) return std::bit_cast<int64_t>(is_real ? real : static_cast<double>(integer));
  return is_real ? static_cast<int64_t>(real) : integer;
}

Status store(Frame& frame, const ResultTarget& target, AtenValue value) {
  if (target.kind == ResultTarget::Kind::kTensor) {
    auto* tensor = std::get_if<AtenTensor>(&value);
    return accept_tensor(frame, target.target, tensor ? std::move(*tensor) : AtenTensor());
  }
  if (target.kind != ResultTarget::Kind::kNumber) return success();
  int64_t& number = frame.numbers[target.target];
  if (const auto* real = std::get_if<double>(&value)) {
    number = number_bits(target, *real, 0, true);
  } else if (const auto* integer = std::get_if<int64_t>(&value)) {
    number = number_bits(target, 0, *integer, false);
  } else if (const auto* truth = std::get_if<bool>(&value)) {
    number = number_bits(target, 0, *truth ? 1 : 0, false);
  }
  return success();
}

Status store_step_value(Frame& frame, const ResultTarget& target, StepValue& value) {
  AtenTensor tensor(std::exchange(value.tensor, nullptr));
  if (target.kind == ResultTarget::Kind::kTensor) {
    return accept_tensor(frame, target.target, std::move(tensor));
  }
  if (target.kind == ResultTarget::Kind::kNumber) {
    const bool is_real = value.kind == StepValue::Kind::kFloat;
    frame.numbers[target.target] = number_bits(target, value.real, value.integer, is_real);
  }
  return success();
}

StepValue step_input(const Frame& frame, const ExternalOperand& operand) {
  switch (operand.kind) {
    case StepValue::Kind::kTensor: return StepValue::of_tensor(frame.handles[operand.source]);
    case StepValue::Kind::kInt: return StepValue::of_int(frame.numbers[operand.source]);
    case StepValue::Kind::kBool: return StepValue::of_bool(frame.numbers[operand.source] != 0);
    case StepValue::Kind::kFloat:
      return StepValue::of_float(std::bit_cast<double>(frame.numbers[operand.source]));
    case StepValue::Kind::kNone: break;
  }
  return {};
}

Status run_external(Frame& frame, const ExternalCall& call) {
  frame.step_inputs.resize(call.operands.size());
  for (size_t i = 0; i < call.operands.size(); ++i) {
    frame.step_inputs[i] = step_input(frame, call.operands[i]);
  }
  frame.step_results.assign(call.results.size(), StepValue{});
  NFX_TRY(call.step->run(frame.step_inputs, frame.step_results));
  Status outcome = success();
  for (size_t i = 0; i < call.results.size(); ++i) {  // each result has one owner, come what may
    Status stored = store_step_value(frame, call.results[i], frame.step_results[i]);
    if (!stored) outcome = std::move(stored);
  }
  return outcome;
}

Status store_list(Frame& frame, const AtenStep& step) {
  auto* items = std::get_if<std::vector<AtenTensor>>(&frame.results[0]);
  if (items == nullptr) return success();
  for (size_t i = 0; i < step.results.size() && i < items->size(); ++i) {
    NFX_TRY(store(frame, step.results[i], std::move((*items)[i])));
  }
  return success();
}

// After a native call that was declined, or has failed.
Status run_otherwise(Frame& frame, const AtenStep& step, std::span<const AtenArg> args,
                     Status ran) {
  if (!needs_vectorcall(ran.error())) {
    if (frame.plan.failed) frame.plan.failed(step.call, args);
    return ran;
  }
  return step.python ? run_external(frame, *step.python) : ran;
}

Status run_aten(Frame& frame, const AtenStep& step) {
  for (const ArgPatch& patch : step.patches) apply(frame, patch, step.first_arg);
  const std::span<const AtenArg> args(frame.args.data() + step.first_arg, step.call.arg_count());
  const std::span<AtenValue> results(frame.results.data(), step.call.result_count());
  const bool writes = step.out != kNoIndex;
  Status ran =
      writes ? step.call.run_into(args, frame.handles[step.out]) : step.call.run(args, results);
  if (!ran) return run_otherwise(frame, step, args, std::move(ran));
  if (writes) return success();
  if (step.list_result) return store_list(frame, step);
  for (size_t i = 0; i < step.results.size(); ++i) {
    NFX_TRY(store(frame, step.results[i], std::move(frame.results[i])));
  }
  return success();
}

struct DependentSizes {
  static constexpr std::string_view kCode = "bad-dependent-sizes";
  std::string message() const { return "sizes that follow from computed values overflow"; }
  std::string help() const { return "check the values that sizes are made of"; }
};
NFX_DIAGNOSTIC(DependentSizes);

Status bind(Frame& frame, const BindStep& step) {
  read_symbols(frame, step.symbols);
  if (!step.program.run(frame.numbers, frame.scratch)) return diagnose(DependentSizes{});
  for (const SlotId id : step.results) {
    const Slot& slot = frame.plan.slots[id];
    if (!slot.check_shape || frame.handles[id] == nullptr) continue;
    NFX_ASSIGN(AtenTensor relaid, laid_out_as_planned(frame, id, frame.handles[id]));
    if (!relaid) continue;
    if (slot.needs_data) frame.data[id] = static_cast<std::byte*>(relaid.view().data());
    AtenTensor(std::exchange(frame.handles[id], relaid.release()));
  }
  return success();
}

// PyTorch's shape functions are wrong about some dtypes. A result that no kernel and
// no view looks into is passed on as it came; one of a narrower float is widened.
bool is_passed_on(const Plan& plan, SlotId id) {
  const Slot& slot = plan.slots[id];
  if (slot.kind != SlotKind::kResult || slot.needs_data) return false;
  return std::ranges::none_of(plan.slots, [id](const Slot& other) { return other.base == id; });
}

bool widens(Dtype came, Dtype planned) {
  return is_floating(came) && is_floating(planned) && dtype_size(came) < dtype_size(planned);
}

void free_handle(Frame& frame, SlotId slot) {
  if (frame.plan.slots[slot].kind == SlotKind::kInput) {
    frame.input_owners[slot].reset();
    return;
  }
  AtenTensor(std::exchange(frame.handles[slot], nullptr));
}

}  // namespace

void read_symbols(Frame& frame, std::span<const SymbolSource> symbols) {
  for (const SymbolSource& source : symbols) {
    const AtenView view(frame.handles[source.slot]);
    if (source.property == SymbolSource::Property::kOffset) {
      frame.numbers[source.number] = view.storage_offset();
      continue;
    }
    const bool size = source.property == SymbolSource::Property::kSize;
    const auto values = size ? view.sizes() : view.strides();
    if (source.dim < values.size()) frame.numbers[source.number] = values[source.dim];
  }
}

Result<AtenTensor> laid_out_as_planned(Frame& frame, SlotId id, AtenHandle tensor) {
  const Slot& slot = frame.plan.slots[id];
  const AtenView view(tensor);
  const auto sizes = view.sizes();
  const auto planned = planned_sizes(frame, slot);
  const bool same_sizes = std::ranges::equal(sizes, planned);
  const bool same_dtype = view.dtype() == slot.dtype;
  if (same_sizes && !same_dtype && is_passed_on(frame.plan, id)) return AtenTensor();
  if (!same_sizes || !(same_dtype || widens(view.dtype(), slot.dtype))) {
    return diagnose(UnexpectedShape{slot.name, shape_text(view.dtype(), sizes),
                                    shape_text(slot.dtype, planned)});
  }
  if (same_dtype && same_layout(sizes, view.strides(), planned_strides(frame, slot))) {
    return AtenTensor();
  }
  NFX_ASSIGN(AtenTensor relaid,
             AtenTensor::empty_strided(planned, planned_strides(frame, slot), slot.dtype));
  if (aten_abi().copy_(relaid.get(), tensor, 0) != 0) return aten_failure("aten::copy_");
  return relaid;
}

Status accept_tensor(Frame& frame, SlotId id, AtenTensor tensor) {
  const Slot& slot = frame.plan.slots[id];
  if (tensor && slot.check_shape && !slot.late_shape) {
    NFX_ASSIGN(AtenTensor relaid, laid_out_as_planned(frame, id, tensor.get()));
    if (relaid) tensor = std::move(relaid);
  }
  if (slot.needs_data && tensor) frame.data[id] = static_cast<std::byte*>(tensor.view().data());
  AtenTensor(std::exchange(frame.handles[id], tensor.release()));
  return success();
}

Status execute_step(Frame& frame, const Step& step) {
  const Plan& plan = frame.plan;
  switch (step.kind) {
    case StepKind::kKernel: return run_kernel(frame, plan.kernels[step.index]);
    case StepKind::kAten: return run_aten(frame, plan.aten[step.index]);
    case StepKind::kExternal: return run_external(frame, plan.external[step.index]);
    case StepKind::kAllocate: return allocate(frame, step.index);
    case StepKind::kView: return make_handle(frame, step.index);
    case StepKind::kFree: free_handle(frame, step.index); break;
    case StepKind::kBind: return bind(frame, plan.binds[step.index]);
  }
  return success();
}

}  // namespace nfx
