// What was made of a graph: who runs each node and why, which ops each kernel
// holds, how long each stage took.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/kernel_cost.h"
#include "compiler/memory_report.h"

namespace nfx {

enum class Runner : uint8_t {
  kNothing,  // inputs, constants, projections, what nobody needs
  kNumber,   // sizes and other numbers: part of a number program
  kView,     // shares memory: no step
  kKernel,
  kAten,
  kPython,
};
std::string_view runner_name(Runner runner);  // "kernel", "aten", ...

struct NodeReport {
  std::string name, target, source;  // source: "model.py:41 in Filter.forward", if known
  Runner runner = Runner::kNothing;
  int32_t kernel = -1;
  std::string reason;  // why no kernel runs it, or why Python does
};

struct KernelReport {
  std::string name;
  std::vector<std::string> ops;
  int64_t buffers = 0;
  std::string loops;  // the kernel's text
  KernelCost cost;
};

struct StageReport {
  std::string name;
  double milliseconds = 0;
};

struct Report {
  std::string name;
  std::vector<NodeReport> nodes;
  std::vector<KernelReport> kernels;
  std::vector<StageReport> stages;
  std::optional<MemoryReport> memory;
  int64_t count(Runner runner) const;
};

}  // namespace nfx
