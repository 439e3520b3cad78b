// `nfx compile FILE`: machine code of the loop kernels of a file.
#include <fstream>
#include <iostream>
#include <iterator>

#include "jit/generate.h"
#include "loop/parse.h"
#include "loop/print.h"
#include "nfx/command.h"
#include "nfx/input.h"

namespace nfx {
namespace {

struct CompileOptions {
  std::string file;
  std::string emit = "ll";
  JitOptions target;
};

// The kernels of a text: each begins with a line that says `kernel`.
std::vector<std::string> split_kernels(const std::string& text) {
  std::vector<std::string> kernels;
  std::string kernel;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string line = text.substr(at, end - at);
    if (line.starts_with("kernel") && !kernel.empty()) kernels.push_back(std::move(kernel));
    if (line.starts_with("kernel")) kernel.clear();
    kernel += line;
    at = end;
  }
  if (!kernel.empty()) kernels.push_back(std::move(kernel));
  return kernels;
}

Status compile_kernels(const CompileOptions& options) {
  NFX_ASSIGN(const std::string text, read_text(options.file));
  NFX_ASSIGN(const jit::Target target, jit::detect_target(options.target));
  for (const std::string& part : split_kernels(text)) {
    NFX_ASSIGN(const Kernel kernel, parse_kernel(part));
    const Schedule schedule = make_schedule(kernel, target.vector_bytes);
    NFX_ASSIGN(const jit::GeneratedCode code,
               jit::generate_code(kernel, schedule, target, "nfx_kernel", true));
    std::cout << (options.emit == "s" ? code.assembly : code.ir);
  }
  return success();
}

NFX_COMMAND(compile) {
  CLI::App* command = app.add_subcommand("compile", "print the machine code of loop kernels");
  auto options = std::make_shared<CompileOptions>();
  command->add_option("FILE", options->file, "kernels in text form, - for the standard input")
      ->required();
  command->add_option("--emit", options->emit, "`ll`: LLVM IR, `s`: assembly")
      ->check(CLI::IsMember({"ll", "s"}));
  command->add_option("--triple", options->target.triple, "another target than this machine");
  command->add_option("--cpu", options->target.cpu, "LLVM's name of a CPU");
  command->add_option("--features", options->target.features, "`+avx2,-avx512f`");
  command->callback([=, &result] { result = compile_kernels(*options); });
}

}  // namespace
}  // namespace nfx
