// One result of a call into PyTorch.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "runtime/aten_tensor.h"

namespace nfx {

struct AtenNone {};  // also an undefined tensor

using AtenValue =
    std::variant<AtenNone, AtenTensor, int64_t, double, bool, std::string, std::vector<AtenTensor>,
                 std::vector<int64_t>, std::vector<double>, std::vector<bool>>;

}  // namespace nfx
