// Numbers of a run that follow from others: sizes, strides, offsets, bytes.
#pragma once
#include <cstdint>
#include <vector>

#include "ir/sym_program.h"

namespace nfx {

using NumberId = uint32_t;  // index into the numbers of a run

struct NumberProgram {
  SymProgram program;
  std::vector<NumberId> inputs;
  std::vector<NumberId> outputs;

  // Computes in place. `scratch` is grown as needed. False on division by zero
  // or overflow.
  [[nodiscard]] bool run(std::vector<int64_t>& numbers, std::vector<int64_t>& scratch) const;
};

}  // namespace nfx
