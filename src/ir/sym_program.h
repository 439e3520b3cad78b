// Symbolic expressions as a short list of instructions, for computing sizes at
// run time: compiled once, then run on every call without touching the Context.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "ir/sym_value.h"
#include "support/result.h"

namespace nfx {

class SymProgram {
 public:
  // `inputs` are what is known when the program runs: symbols, or any expression
  // whose value is at hand. Error `unbound-symbol` if an output needs more.
  static Result<SymProgram> compile(const Context& context, std::span<const SymExprId> inputs,
                                    std::span<const SymExprId> outputs);

  size_t num_inputs() const { return num_inputs_; }
  size_t num_outputs() const { return outputs_.size(); }

  // Values are 64-bit slots: integers and booleans as they are, floats as their
  // bits. False on division by zero or overflow; then no output is written.
  [[nodiscard]] bool run(std::span<const int64_t> inputs, std::span<int64_t> outputs) const;

 private:
  struct Instruction {
    SymOp op;
    SymKind kind;
    uint32_t first = 0;  // operands_[first .. first + count)
    uint32_t count = 0;
  };
  friend class SymCompiler;

  size_t num_inputs_ = 0;
  std::vector<SymKind> input_kinds_;
  std::vector<SymValue> constants_;        // slots after the inputs
  std::vector<Instruction> instructions_;  // one slot each, after the constants
  std::vector<uint32_t> operands_;         // slots
  std::vector<uint32_t> outputs_;          // slots
  uint32_t max_operands_ = 0;
};

// The value of `expr` where each of `symbols` has the value beside it; nothing if
// it needs another symbol, divides by zero or overflows.
std::optional<SymValue> evaluate_sym(const Context& context, SymExprId expr,
                                     std::span<const SymExprId> symbols,
                                     std::span<const SymValue> values);

}  // namespace nfx
