#include "compiler/compile.h"

#include <chrono>

#include "compiler/lower.h"
#include "compiler/progress.h"
#include "compiler/stage_dump.h"
#include "loop/print.h"
#include "message_passing/order_edges.h"
#include "passes/expand_composites.h"
#include "passes/pass_manager.h"
#include "passes/pipelines.h"
#include "passes/reinplace.h"

namespace nfx {
namespace {

// Runs the stages of one compilation and times them.
class Pipeline {
 public:
  Pipeline(Graph& graph, const CompileOptions& options)
      : graph_(graph), options_(options), dump_(options.dump_dir, options.name) {
    report_.name = options.name;
  }

  Result<CompiledGraph> run() {
    NFX_TRY(dump_.graph("captured", graph_));
    NFX_TRY(timed("expand", [&] { return expand(); }));
    NFX_TRY(timed("passes", [&] { return run_passes(); }));
    NFX_TRY(timed("edges", [&] { return order(); }));
    NFX_TRY(timed("fuse", [&] { return fuse_graph(); }));
    NFX_TRY(timed("generate", [&] { return generate(); }));
    NFX_TRY(timed("choose", [&] {
      runners_ = choose_runners(graph_, fused() ? &fusion_ : nullptr, options_.hooks);
      return success();
    }));
    report_nodes();
    NFX_TRY(timed("plan", [&] { return plan(); }));
    return CompiledGraph(std::move(plan_), std::move(report_));
  }

 private:
  template <class Stage>
  Status timed(std::string name, const Stage& stage) {
    const auto start = std::chrono::steady_clock::now();
    Status status = stage();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    report_.stages.push_back({std::move(name), took.count()});
    return status;
  }

  bool fused() const { return options_.jit != nullptr; }

  Status run_passes() {
    if (options_.passes.empty()) return success();
    std::vector<const Pass*> passes = default_pipeline();
    if (options_.passes != "default") {
      NFX_ASSIGN(passes, parse_pipeline(options_.passes));
    }
    Status dumped = success();
    const PassOptions pass_options{
        .verify_each = options_.verify,
        .observe = [&](std::string_view pass, std::string_view when, const Graph& graph) {
          if (when == "after" && dumped) dumped = dump_.graph(pass, graph);
        }};
    NFX_ASSIGN(const std::vector<PassRun> runs, nfx::run_passes(graph_, passes, pass_options));
    for (const PassRun& run : runs) report_.stages.push_back({run.name, run.milliseconds});
    return dumped;
  }

  Status expand() {
    if (reinplace(graph_) == Changed::kYes && options_.verify) NFX_TRY(verify(graph_));
    if (!fused() || !options_.expand) return success();
    expand_composites(graph_);
    if (options_.verify) NFX_TRY(verify(graph_));
    return dump_.graph("expanded", graph_);
  }

  // What scatters sum is computed in sorted order, and may simplify again there.
  Status order() {
    if (!fused() || order_edges(graph_) == Changed::kNo) return success();
    NFX_TRY(dump_.graph("ordered", graph_));
    return run_passes();
  }

  Status fuse_graph() {
    if (!fused()) return success();
    FuseOptions fuse_options;
    int left = options_.fuse_limit;
    if (left >= 0) fuse_options.allow = [&left](Node) { return left-- > 0; };
    NFX_ASSIGN(fusion_, fuse(graph_, fuse_options));
    return dump_.kernels(fusion_);
  }

  Status generate() {
    Progress progress(options_.name);
    for (const FusedKernel& fused : fusion_.kernels) {
      progress.kernels(code_.size(), fusion_.kernels.size());
      NFX_ASSIGN(std::shared_ptr<const CompiledKernel> code, options_.jit->compile(fused.kernel));
      code_.push_back(std::move(code));
      KernelReport report{.name = fused.kernel.name};
      report.buffers = static_cast<int64_t>(fused.buffers.size());
      report.loops = print(fused.kernel, KernelNames::kOwn);
      report.cost = kernel_cost(fused);
      for (const Node op : fused.ops) report.ops.emplace_back(op.target());
      report_.kernels.push_back(std::move(report));
    }
    return success();
  }

  void report_nodes() {
    for (const Node node : graph_.nodes()) {
      const NodeRunner& choice = runners_.of(node);
      NodeReport report{std::string(node.name()), std::string(node.target())};
      report.source = graph_.context().text(graph_.meta(node).source);
      report.runner = choice.runner;
      report.kernel = choice.kernel;
      report.reason = choice.reason;
      report_.nodes.push_back(std::move(report));
    }
  }

  Status plan() {
    NFX_ASSIGN(plan_,
               lower_to_plan(graph_, runners_, fused() ? &fusion_ : nullptr, code_, options_));
    report_.memory = memory_report(graph_, *plan_);
    return dump_.plan(*plan_);
  }

  Graph& graph_;
  const CompileOptions& options_;
  StageDump dump_;
  Report report_;
  Fusion fusion_;
  KernelCode code_;
  Runners runners_;
  std::unique_ptr<const Plan> plan_;
};

}  // namespace

CompiledGraph::CompiledGraph(std::unique_ptr<const Plan> plan, Report report)
    : plan_(std::move(plan)),
      frames_(std::make_unique<FramePool>(*plan_)),
      report_(std::move(report)) {}

Status CompiledGraph::run(std::span<RunInput> inputs, std::span<RunOutput> outputs) {
  std::unique_ptr<Frame> frame = frames_->take();
  Status status = run_plan(*frame, inputs, outputs);
  frames_->give_back(std::move(frame));
  return status;
}

Result<CompiledGraph> compile(Graph& graph, const CompileOptions& options) {
  return Pipeline(graph, options).run();
}

}  // namespace nfx
