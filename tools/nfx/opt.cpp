// `nfx opt -p PASSES FILE`: runs passes on a graph and prints what becomes of it.
#include <fmt/format.h>

#include <iostream>

#include "nfx/command.h"
#include "nfx/input.h"
#include "passes/pass_manager.h"
#include "passes/pipelines.h"
#include "rewrite/driver.h"

namespace nfx {
namespace {

struct OptOptions {
  std::string file;
  std::string passes;
  int stop_after = -1;
  bool print_before = false;
  bool print_after = false;
  bool time = false;
  bool verify_each = false;
  bool trace_rules = false;
  bool list = false;
  bool until_stable = false;
  bool types = true;
};

struct NoFile {
  static constexpr std::string_view kCode = "no-input-file";
  std::string message() const { return "`opt` has no graph to work on"; }
  std::string help() const { return "give the path of a file, or `-` for the standard input"; }
};
NFX_DIAGNOSTIC(NoFile);

void list_passes() {
  for (const Pass* pass : all_passes()) {
    std::cout << fmt::format("{:<18} {}\n", pass->name, pass->summary);
  }
  std::cout << "default pipeline:";
  for (const Pass* pass : default_pipeline()) std::cout << ' ' << pass->name;
  std::cout << '\n';
}

// Messages go to standard error, for the graph on standard output is to be read on.
void report(const std::vector<PassRun>& runs) {
  for (const PassRun& run : runs) {
    std::cerr << fmt::format("{:<18} {:>10.3f} ms {:>8} nodes{}\n", run.name, run.milliseconds,
                             run.nodes, run.changed == Changed::kYes ? ", changed" : "");
  }
}

PassOptions pass_options(const OptOptions& options) {
  PassOptions result;
  result.verify_each = options.verify_each;
  result.stop_after = options.stop_after;
  result.until_stable = options.passes.empty() || options.until_stable;
  const bool before = options.print_before, after = options.print_after, types = options.types;
  result.observe = [before, after, types](std::string_view pass, std::string_view when,
                                          const Graph& graph) {
    if (!(when == "before" ? before : after)) return;
    std::cerr << "// " << when << ' ' << pass << '\n' << print(graph, {.types = types});
  };
  return result;
}

Status optimize(const OptOptions& options) {
  if (options.list) {
    list_passes();
    return success();
  }
  if (options.file.empty()) return diagnose(NoFile{});
  std::vector<const Pass*> passes = default_pipeline();
  if (!options.passes.empty()) {
    NFX_ASSIGN(passes, parse_pipeline(options.passes));
  }
  NFX_ASSIGN(const std::unique_ptr<Graph> graph, read_graph(options.file));
  const auto say = [&](const std::string& line) {
    if (options.trace_rules) std::cerr << line << '\n';
  };
  const RuleTrace trace(say);
  NFX_ASSIGN(const std::vector<PassRun> runs, run_passes(*graph, passes, pass_options(options)));
  if (options.time) report(runs);
  std::cout << print(*graph, {.types = options.types});
  return success();
}

NFX_COMMAND(opt) {
  CLI::App* command = app.add_subcommand("opt", "run passes on a graph and print it");
  auto options = std::make_shared<OptOptions>();
  command->add_option("FILE", options->file, "graph in text form, - for the standard input");
  command->add_option("-p,--passes", options->passes,
                      "passes to run, `dce,cse`; without it the default pipeline, until stable");
  command->add_flag("--until-stable", options->until_stable,
                    "run the passes again while one changes something");
  command->add_option("--stop-after", options->stop_after, "run only the first N passes");
  command->add_flag("--print-before", options->print_before, "show the graph before each pass");
  command->add_flag("--print-after", options->print_after, "show the graph after each pass");
  command->add_flag("--time", options->time, "tell how long each pass took");
  command->add_flag("--verify-each", options->verify_each, "verify the graph after each pass");
  command->add_flag("--trace-rules", options->trace_rules, "tell each rewrite rule that fires");
  command->add_flag("--list", options->list, "list the passes");
  command->add_flag("!--no-types", options->types, "print without types");
  command->callback([=, &result] { result = optimize(*options); });
}

}  // namespace
}  // namespace nfx
