// From a typed graph to something that runs.
//
//   NFX_ASSIGN(CompiledGraph compiled, compile(graph, options));
//   NFX_TRY(compiled.run(inputs, outputs));
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compiler/report.h"
#include "ir/graph.h"
#include "jit/jit.h"
#include "runtime/executor.h"

namespace nfx {

// What only the owner of the graph's objects can do. Each may be left empty.
struct CompileHooks {
  // The schema text that the running PyTorch prints for a node's target; empty
  // if the target is no operator overload.
  std::function<std::string(Node)> schema;
  // Runs a node through the interpreter. Inputs of the step are the node's
  // operands in order; an operand that is no tensor or number comes as none.
  std::function<Result<std::unique_ptr<ExternalStep>>(Node)> interpret;
  // Is told of each call that fails in PyTorch while a plan runs.
  std::function<void(const AtenCall&, std::span<const AtenArg>)> failed;
  // The tensor of a get_attr node; none if the attribute is something else.
  std::function<AtenTensor(Node)> constant;
};

struct CompileOptions {
  CompileHooks hooks;
  Jit* jit = nullptr;   // null: no kernels, every op runs as a whole
  std::string passes;   // names with commas, or "default"; run after expansion
  int fuse_limit = -1;  // ops that may be fused, in graph order; negative: all
  // Large intermediates get memory of their own instead of a place in the arena, so
  // that they can use what the run has freed: for graphs whose inputs die in the run.
  bool own_memory = false;
  bool expand = true;          // composites into what kernels compute
  bool verify = false;         // the graph between stages
  std::string dump_dir;        // where stages are written; empty: nowhere
  std::string name = "graph";  // in the report and in dumps
};

class CompiledGraph {
 public:
  CompiledGraph(std::unique_ptr<const Plan> plan, Report report);

  const Plan& plan() const { return *plan_; }
  const Report& report() const { return report_; }

  // From any thread, any number at a time. See run_plan.
  Status run(std::span<RunInput> inputs, std::span<RunOutput> outputs);

 private:
  std::unique_ptr<const Plan> plan_;
  std::unique_ptr<FramePool> frames_;
  Report report_;
};

// Changes `graph` (passes, expansion) and makes a plan of it.
// Errors: those of the stages, `unsupported-node`.
Result<CompiledGraph> compile(Graph& graph, const CompileOptions& options);

}  // namespace nfx
