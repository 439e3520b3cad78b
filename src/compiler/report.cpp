#include "compiler/report.h"

#include <algorithm>

namespace nfx {

std::string_view runner_name(Runner runner) {
  switch (runner) {
    case Runner::kNothing: return "nothing";
    case Runner::kNumber: return "number";
    case Runner::kView: return "view";
    case Runner::kKernel: return "kernel";
    case Runner::kAten: return "aten";
    case Runner::kPython: return "python";
  }
  return "";
}

int64_t Report::count(Runner runner) const {
  return std::ranges::count(nodes, runner, &NodeReport::runner);
}

}  // namespace nfx
