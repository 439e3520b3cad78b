#include "compiler/stage_dump.h"

#include <filesystem>
#include <fstream>

#include "loop/print.h"
#include "runtime/profile.h"

namespace nfx {
namespace {

struct CannotDump {
  static constexpr std::string_view kCode = "cannot-dump";
  std::string path;
  std::string message() const { return "cannot write `" + path + "`"; }
  std::string help() const { return "give a folder that can be written as `dump`"; }
};
NFX_DIAGNOSTIC(CannotDump);

}  // namespace

Status StageDump::write(const std::string& file, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  const std::string path = folder_ + "/" + file;
  std::ofstream out(path);
  out << text;
  out.close();
  if (!out) return diagnose(CannotDump{path});
  return success();
}

Status StageDump::graph(std::string_view stage, const Graph& graph) {
  if (!is_on()) return success();
  const std::string number = std::to_string(number_++);
  return write(name_ + "." + number + "-" + std::string(stage) + ".nfx", print(graph));
}

Status StageDump::kernels(const Fusion& fusion) {
  if (!is_on()) return success();
  std::string text;
  for (const FusedKernel& fused : fusion.kernels)
    text += print(fused.kernel, KernelNames::kOwn) + "\n";
  return write(name_ + ".kernels", text);
}

Status StageDump::plan(const Plan& plan) {
  if (!is_on()) return success();
  std::string text;
  for (const Step& step : plan.steps) {
    const ProfileEvent event = step_event(plan, step);
    text += std::string(event.category) + " " + event.name;
    text += event.op.empty() ? "\n" : " " + event.op + "\n";
  }
  return write(name_ + ".plan", text);
}

}  // namespace nfx
