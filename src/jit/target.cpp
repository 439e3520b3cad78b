#include "jit/target.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "jit/machine.h"

namespace nfx::jit {
namespace {

struct UnknownTarget {
  static constexpr std::string_view kCode = "jit-unknown-target";
  std::string triple;
  std::string reason;
  std::string message() const { return "no code generator for `" + triple + "`: " + reason; }
  std::string help() const { return "use an LLVM built with this target, or leave it to ATen"; }
};
NFX_DIAGNOSTIC(UnknownTarget);

void initialize_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
  });
}

// Sorted, so that the text is the same on every run.
std::string host_features() {
  std::vector<std::string> names;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    names.push_back((feature.second ? "+" : "-") + feature.first().str());
  }
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

bool has_feature(const llvm::TargetMachine& machine, const char* feature) {
  const std::string wanted = std::string("+") + feature;
  return machine.getMCSubtargetInfo()->checkFeatures(wanted);
}

void fill_vector_facts(const llvm::TargetMachine& machine, int bits, Target& target) {
  const bool x86 = machine.getTargetTriple().isX86();
  const bool avx512 = x86 && has_feature(machine, "avx512f") && has_feature(machine, "avx512bw") &&
                      has_feature(machine, "avx512vl") && has_feature(machine, "avx512dq");
  const bool avx2 = x86 && has_feature(machine, "avx2");
  target.has_scale = avx512;
  target.vector_registers = !x86 || avx512 ? 32 : 16;
  target.vector_bytes = avx512 ? 64 : (avx2 ? 32 : 16);
  if (bits > 0) target.vector_bytes = std::clamp(bits / 8, 16, 64);
}

}  // namespace

Result<std::unique_ptr<llvm::TargetMachine>> make_machine(const Target& target) {
  initialize_llvm();
  std::string reason;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(target.triple, reason);
  if (found == nullptr) return diagnose(UnknownTarget{target.triple, reason});
  const std::unique_ptr<llvm::MCSubtargetInfo> cpus(
      found->createMCSubtargetInfo(target.triple, "", ""));
  if (!target.cpu.empty() && !cpus->isCPUStringValid(target.cpu)) {
    return diagnose(UnknownTarget{target.triple, "no CPU `" + target.cpu + "`"});
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(
      target.triple, target.cpu, target.features, options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Less, true));
  assert(machine && "a registered target makes a machine");
  return machine;
}

Result<Target> detect_target(const JitOptions& options) {
  Target target;
  target.triple = options.triple.empty() ? llvm::sys::getProcessTriple() : options.triple;
  const bool host = options.triple.empty() && options.cpu.empty();
  target.cpu = host ? llvm::sys::getHostCPUName().str() : options.cpu;
  target.features = host ? host_features() : "";
  if (!options.features.empty()) {
    target.features += (target.features.empty() ? "" : ",") + options.features;
  }
  NFX_ASSIGN(std::unique_ptr<llvm::TargetMachine> machine, make_machine(target));
  fill_vector_facts(*machine, options.vector_bits, target);
  target.description = target.triple + " " + target.cpu + " " + target.features + " " +
                       std::to_string(target.vector_bytes);
  return target;
}

}  // namespace nfx::jit
