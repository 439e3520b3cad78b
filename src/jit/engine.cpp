#include "jit/engine.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>

#include "jit/host_functions.h"

namespace nfx::jit {
namespace {

namespace orc = llvm::orc;

struct LinkFailed {
  static constexpr std::string_view kCode = "jit-link-failed";
  std::string reason;
  std::string message() const { return "compiled code could not be linked: " + reason; }
  std::string help() const { return "clear the object cache, or run without one"; }
};
NFX_DIAGNOSTIC(LinkFailed);

Diagnostic link_error(llvm::Error error) {
  return diagnose(LinkFailed{llvm::toString(std::move(error))});
}

}  // namespace

struct Engine::Linker {
  std::unique_ptr<orc::LLJIT> jit;
};

Engine::Engine(std::unique_ptr<Linker> linker) : linker_(std::move(linker)) {}
Engine::~Engine() = default;

Result<std::shared_ptr<Engine>> Engine::create(const Target& target) {
  orc::JITTargetMachineBuilder builder{llvm::Triple(target.triple)};
  builder.setCPU(target.cpu);
  builder.setRelocationModel(llvm::Reloc::PIC_);
  auto made = orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(builder)).create();
  if (!made) return link_error(made.takeError());
  auto linker = std::make_unique<Linker>(Linker{std::move(*made)});
  orc::SymbolMap symbols;
  for (const HostFunction& function : host_functions()) {
    symbols[linker->jit->mangleAndIntern(function.symbol)] = {
        orc::ExecutorAddr::fromPtr(function.address), llvm::JITSymbolFlags::Exported};
  }
  orc::JITDylib& library = linker->jit->getMainJITDylib();
  if (llvm::Error error = library.define(orc::absoluteSymbols(std::move(symbols)))) {
    return link_error(std::move(error));
  }
  return std::shared_ptr<Engine>(new Engine(std::move(linker)));
}

Result<LinkedKernel> Engine::link(const std::string& object, const std::string& symbol) {
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object, symbol);
  if (llvm::Error error = linker_->jit->addObjectFile(std::move(buffer))) {
    return link_error(std::move(error));
  }
  auto address = linker_->jit->lookup(symbol);
  if (!address) return link_error(address.takeError());
  return LinkedKernel{address->toPtr<KernelFn>()};
}

}  // namespace nfx::jit
