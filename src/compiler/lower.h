// From a graph whose nodes have runners to a plan.
#pragma once
#include <memory>

#include "compiler/runners.h"

namespace nfx {

// Machine code of each fused kernel, in the order of the fusion.
using KernelCode = std::vector<std::shared_ptr<const CompiledKernel>>;

// `runners` gives its prepared calls away.
// Errors: `unsupported-node`, `cyclic-steps`, `unbound-symbol`.
Result<std::unique_ptr<Plan>> lower_to_plan(const Graph& graph, Runners& runners,
                                            const Fusion* fusion, const KernelCode& code,
                                            const CompileOptions& options);

}  // namespace nfx
