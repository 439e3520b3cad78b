#include "jit/generate.h"

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "jit/emitter.h"
#include "jit/machine.h"
#include "jit/types.h"

namespace nfx::jit {
namespace {

struct UnsupportedDtype {
  static constexpr std::string_view kCode = "jit-unsupported-dtype";
  std::string kernel;
  std::string dtype;
  std::string message() const {
    return "kernel `" + kernel + "` computes with `" + dtype + "`, which has no machine code";
  }
  std::string help() const { return "leave the operation to ATen"; }
};
NFX_DIAGNOSTIC(UnsupportedDtype);

llvm::Function* declare(llvm::Module& module, const Target& target, const std::string& symbol) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  llvm::Type* wide = llvm::Type::getInt64Ty(context);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                       {pointer, pointer, wide, wide}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr("target-cpu", target.cpu);
  function->addFnAttr("target-features", target.features);
  // Some CPUs are tuned to prefer half of their width.
  const std::string bits = std::to_string(target.vector_bytes * 8);
  function->addFnAttr("prefer-vector-width", bits);
  function->addFnAttr("min-legal-vector-width", bits);
  return function;
}

// Kernels come out nearly as they should be: what is left is to merge what two
// values both computed. Heavier pipelines only add time.
void optimize(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerFunctionAnalyses(functions);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass());
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) passes.run(function, functions);
  }
}

std::unique_ptr<llvm::Module> generate(llvm::LLVMContext& context, const Kernel& kernel,
                                       const Schedule& schedule, const Target& target,
                                       const std::string& symbol) {
  auto module = std::make_unique<llvm::Module>(symbol, context);
  module->setTargetTriple(target.triple);
  Emitter(apply_schedule(kernel, schedule), target, declare(*module, target, symbol)).emit_kernel();
  return module;
}

std::string emit(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type) {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  [[maybe_unused]] const bool fails = machine.addPassesToEmitFile(passes, stream, nullptr, type);
  assert(!fails && "our targets write objects and assembly");
  passes.run(module);
  return bytes.str().str();
}

}  // namespace

Status check_compilable(const Kernel& kernel) {
  const auto check = [&](Dtype dtype) -> Status {
    if (is_compiled(dtype)) return success();
    return diagnose(UnsupportedDtype{kernel.name, std::string(dtype_name(dtype))});
  };
  for (const KernelBuffer& buffer : kernel.buffers) NFX_TRY(check(buffer.dtype));
  for (ExprId id = 0; id < kernel.exprs.size(); ++id) NFX_TRY(check(kernel.exprs[id].dtype));
  return success();
}

Result<GeneratedCode> generate_code(const Kernel& kernel, const Schedule& schedule,
                                    const Target& target, const std::string& symbol,
                                    bool with_text) {
  NFX_TRY(check_compilable(kernel));
  NFX_ASSIGN(std::unique_ptr<llvm::TargetMachine> machine, make_machine(target));
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = generate(context, kernel, schedule, target, symbol);
  module->setDataLayout(machine->createDataLayout());
  assert(!llvm::verifyModule(*module, &llvm::errs()) && "generated IR is well formed");
  optimize(*module, *machine);
  GeneratedCode code;
  if (with_text) {
    llvm::raw_string_ostream(code.ir) << *module;
    const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*module);
    code.assembly = emit(*copy, *machine, llvm::CodeGenFileType::AssemblyFile);
  }
  code.object = emit(*module, *machine, llvm::CodeGenFileType::ObjectFile);
  return code;
}

}  // namespace nfx::jit
