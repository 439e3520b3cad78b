#include "passes/pass_manager.h"

#include <algorithm>
#include <chrono>

namespace nfx {
namespace {

struct UnknownPass {
  static constexpr std::string_view kCode = "unknown-pass";
  std::string name;
  std::string message() const { return "there is no pass `" + name + "`"; }
  std::string help() const {
    std::string names;
    for (const Pass* pass : all_passes()) {
      names += (names.empty() ? "" : ", ") + std::string(pass->name);
    }
    return "the passes are: " + names;
  }
};
NFX_DIAGNOSTIC(UnknownPass);

constexpr int kMostRounds = 8;

Changed run_with_subgraphs(Graph& graph, const Pass& pass) {
  Changed changed = Changed::kNo;
  for (auto& [name, attribute] : graph.attributes()) {
    if (attribute.subgraph) changed |= run_with_subgraphs(*attribute.subgraph, pass);
  }
  return changed | pass.run(graph);
}

Status verify_after(const Graph& graph, const Pass& pass) {
  Status status = verify(graph);
  if (status) return status;
  Diagnostic error = status.error();
  error.message = "after the pass `" + std::string(pass.name) + "`: " + error.message;
  return error;
}

PassRun run_pass(Graph& graph, const Pass& pass, const PassOptions& options) {
  using Clock = std::chrono::steady_clock;
  if (options.observe) options.observe(pass.name, "before", graph);
  const Clock::time_point start = Clock::now();
  const Changed changed = run_with_subgraphs(graph, pass);
  const std::chrono::duration<double, std::milli> spent = Clock::now() - start;
  if (options.observe) options.observe(pass.name, "after", graph);
  return {std::string(pass.name), changed, spent.count(), graph.size()};
}

}  // namespace

Result<std::vector<const Pass*>> parse_pipeline(std::string_view names) {
  std::vector<const Pass*> passes;
  while (!names.empty()) {
    const size_t comma = std::min(names.find(','), names.size());
    const std::string_view name = names.substr(0, comma);
    const Pass* pass = find_pass(name);
    if (pass == nullptr) return diagnose(UnknownPass{std::string(name)});
    passes.push_back(pass);
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return passes;
}

Result<std::vector<PassRun>> run_passes(Graph& graph, const std::vector<const Pass*>& passes,
                                        const PassOptions& options) {
  std::vector<PassRun> runs;
  const int rounds = options.until_stable ? kMostRounds : 1;
  Changed changed = Changed::kYes;
  for (int round = 0; round < rounds && changed == Changed::kYes; ++round) {
    changed = Changed::kNo;
    for (const Pass* pass : passes) {
      if (options.stop_after >= 0 && runs.size() >= static_cast<size_t>(options.stop_after)) break;
      runs.push_back(run_pass(graph, *pass, options));
      changed |= runs.back().changed;
      if (options.verify_each) NFX_TRY(verify_after(graph, *pass));
    }
  }
  return runs;
}

}  // namespace nfx
