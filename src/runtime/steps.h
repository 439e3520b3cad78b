// The steps of a plan, one record a kind. See plan.h.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "jit/jit.h"
#include "runtime/aten_call.h"
#include "runtime/external_step.h"
#include "runtime/number_program.h"

namespace nfx {

using SlotId = uint32_t;
inline constexpr uint32_t kNoIndex = UINT32_MAX;  // no slot, no number

// A number that a tensor tells: a symbol (or an expression) that is a size, a
// stride or the offset of an input or of a step's result.
struct SymbolSource {
  enum class Property : uint8_t { kSize, kStride, kOffset };
  SlotId slot = kNoIndex;
  Property property = Property::kSize;
  uint32_t dim = 0;
  NumberId number = kNoIndex;  // where its value goes
};

enum class StepKind : uint8_t { kKernel, kAten, kExternal, kAllocate, kView, kFree, kBind };

struct Step {
  StepKind kind;
  uint32_t index;  // in the vector of its kind; kAllocate, kView, kFree: the slot (an
                   // input's owner is freed if it came with one)
};

struct KernelBufferRef {
  SlotId slot = kNoIndex;      // never a view
  NumberId offset = kNoIndex;  // bytes; kNoIndex is 0
};

// What must hold of an index tensor before a kernel runs.
struct IndexBound {
  KernelBufferRef index;
  Dtype dtype = Dtype::kInt64;
  std::vector<NumberId> sizes, strides;
  NumberId limit = kNoIndex;  // positions are below
  bool negative = false;      // and may be counted from the end
  std::string reader;         // the op that reads there
};

struct KernelStep {
  std::shared_ptr<const CompiledKernel> code;
  Kernel kernel;  // for the number of work items
  std::vector<KernelBufferRef> buffers;
  std::vector<NumberId> scalars;
  std::vector<IndexBound> bounds;
  NumberId work = kNoIndex;  // elements visited, to judge whether threads pay
  std::string name;
};

// Writes a run's value over a place of an argument template.
struct ArgPatch {
  enum class Target : uint8_t {
    kTensor,
    kInt,
    kFloat,
    kBool,
    kTensorItem,
    kIntItem,
    kFloatItem,
    kBoolItem
  };
  Target target;
  uint32_t place;   // argument, or item in the frame's list storage
  uint32_t source;  // slot or number
};

// A list argument some of whose items are written by patches.
struct ListArg {
  uint32_t arg = 0;
  AtenArgKind kind = AtenArgKind::kIntList;
  uint32_t first = 0, size = 0;  // in the list storage of its kind
};

struct ResultTarget {
  enum class Kind : uint8_t { kDrop, kTensor, kNumber };
  Kind kind = Kind::kDrop;
  uint32_t target = kNoIndex;  // slot or number
  bool is_float = false;       // the number's representation
};

struct ExternalOperand {
  StepValue::Kind kind = StepValue::Kind::kNone;
  uint32_t source = kNoIndex;
};

struct ExternalCall {
  std::unique_ptr<ExternalStep> step;
  std::vector<ExternalOperand> operands;
  std::vector<ResultTarget> results;  // one an element of the result
  std::string name;
};

struct AtenStep {
  AtenCall call;
  uint32_t first_arg = 0;  // in the argument storage
  std::vector<ArgPatch> patches;
  std::vector<ResultTarget> results;  // one a schema result, or one an element of the only list
  bool list_result = false;
  SlotId out = kNoIndex;  // where the only result is written; there are no targets then
  std::unique_ptr<ExternalCall> python;  // for arguments that turn out not to cross
  std::string name;
};

// Makes symbols known that a step's results hold, then runs a number program.
struct BindStep {
  std::vector<SymbolSource> symbols;
  std::vector<SlotId> results;  // whose planned shape is known only now
  NumberProgram program;
};

}  // namespace nfx
