#include "runtime/number_program.h"

namespace nfx {

bool NumberProgram::run(std::vector<int64_t>& numbers, std::vector<int64_t>& scratch) const {
  if (outputs.empty()) return true;
  scratch.resize(inputs.size() + outputs.size());
  const std::span<int64_t> all(scratch);
  const std::span<int64_t> from = all.first(inputs.size());
  const std::span<int64_t> to = all.subspan(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) from[i] = numbers[inputs[i]];
  if (!program.run(from, to)) return false;
  for (size_t i = 0; i < outputs.size(); ++i) numbers[outputs[i]] = to[i];
  return true;
}

}  // namespace nfx
