// A step that something else runs: the Python interpreter, a plug-in.
#pragma once
#include <cstdint>
#include <span>

#include "runtime/aten_tensor.h"
#include "support/result.h"

namespace nfx {

// A value that goes into or comes out of such a step.
struct StepValue {
  enum class Kind : uint8_t { kNone, kTensor, kInt, kFloat, kBool };
  Kind kind = Kind::kNone;
  AtenHandle tensor = nullptr;  // borrowed in inputs; a result is owned by who takes it
  int64_t integer = 0;          // kInt, kBool
  double real = 0;

  static StepValue of_tensor(AtenHandle handle) {
    if (handle == nullptr) return {};
    return {.kind = Kind::kTensor, .tensor = handle};
  }
  static StepValue of_int(int64_t value) { return {.kind = Kind::kInt, .integer = value}; }
  static StepValue of_bool(bool value) { return {.kind = Kind::kBool, .integer = value ? 1 : 0}; }
  static StepValue of_float(double value) { return {.kind = Kind::kFloat, .real = value}; }
};

class ExternalStep {
 public:
  virtual ~ExternalStep() = default;

  // One input an operand of the node, one result an element of its result
  // (a result that is no tuple has one). Called without the interpreter lock,
  // from any thread, by several at once. On an error it leaves no result owned.
  virtual Status run(std::span<const StepValue> inputs, std::span<StepValue> results) = 0;
};

}  // namespace nfx
