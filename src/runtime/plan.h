// What runs: a list of steps over slots (tensors) and numbers, as plain data.
// `compiler` makes it, `executor` runs it, any number of times and threads.
//
// Numbers are 64-bit: integers as they are, floats as their bits. A shape is a
// run of numbers: the sizes, then the strides, in elements. Numbers that depend
// on sizes are computed by number programs: the first whenever the input symbols
// differ from those of the frame's last run, later ones after the step that made
// their symbols known (`item`, `nonzero`).
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/steps.h"

namespace nfx {

enum class SlotKind : uint8_t {
  kInput,     // the caller's tensor, borrowed
  kConstant,  // the plan's tensor
  kArena,     // memory of the frame, placed by the memory plan
  kFresh,     // a new tensor of PyTorch's, made by an allocate step
  kResult,    // what an ATen or external step gave
  kView,      // memory of `base` under another shape; its handle is made by a step
};

struct Slot {
  SlotKind kind = SlotKind::kResult;
  Dtype dtype = Dtype::kFloat32;
  bool needs_data = false;     // its address is read: by a kernel
  bool check_shape = false;    // what comes in must have exactly the planned shape
  bool late_shape = false;     // which is known only after the bind step that follows
  bool mutated = false;        // an input that a step writes to
  bool counts_writes = false;  // a view through which PyTorch writes to an input
  uint32_t rank = 0;
  NumberId shape = kNoIndex;   // sizes and strides; kNoIndex if unknown
  NumberId bytes = kNoIndex;   // arena
  SlotId base = kNoIndex;      // view: never a view itself
  NumberId offset = kNoIndex;  // view: bytes from the base's first element
  uint32_t constant = 0;       // index in Plan::constants
  uint32_t arena_index = 0;    // index in Plan::arena
  std::string name;            // of the node, for messages
};

struct PlanInput {
  enum class Kind : uint8_t { kUnused, kTensor, kInt, kFloat, kBool };
  Kind kind = Kind::kUnused;
  SlotId slot = kNoIndex;      // tensor
  NumberId number = kNoIndex;  // others
  std::string name;
};

struct PlanOutput {
  enum class Kind : uint8_t {
    kNone,
    kInput,        // the caller's own tensor
    kTensor,       // a further owner of the slot's tensor
    kMovedTensor,  // the slot's tensor itself
    kInt,
    kFloat,
    kBool,
  };
  Kind kind = Kind::kNone;
  uint32_t source = kNoIndex;  // input, slot or number
};

struct ArenaBuffer {
  SlotId slot = kNoIndex;
  uint32_t first = 0, last = 0;  // steps
};

struct Plan {
  std::vector<PlanInput> inputs;
  std::vector<PlanOutput> outputs;
  std::vector<Slot> slots;
  std::vector<AtenTensor> constants;
  std::vector<int64_t> numbers;         // initial values: constants in place
  std::vector<NumberId> input_symbols;  // numbers that the first program reads
  std::vector<SymbolSource> symbols;    // those that are sizes of inputs
  NumberProgram program;

  std::vector<Step> steps;
  std::vector<KernelStep> kernels;
  std::vector<AtenStep> aten;
  std::vector<ExternalCall> external;
  std::vector<BindStep> binds;

  std::vector<ArenaBuffer> arena;

  // Told of a call that has failed in PyTorch, on the thread that ran it.
  std::function<void(const AtenCall&, std::span<const AtenArg>)> failed;

  // Argument templates; a frame has its own copy.
  std::vector<AtenArg> args;
  std::vector<ListArg> lists;
  std::vector<AtenHandle> tensor_items;
  std::vector<int64_t> int_items;
  std::vector<double> float_items;
  std::vector<uint8_t> bool_items;
  std::vector<std::unique_ptr<std::string>> texts;  // what string arguments point at

  uint32_t max_kernel_buffers = 0, max_kernel_scalars = 0, max_results = 0;
};

}  // namespace nfx
