// Loop kernel → LLVM module → object file.
#pragma once
#include <llvm/IR/Module.h>

#include <memory>
#include <string>

#include "jit/target.h"
#include "loop/schedule.h"
#include "support/result.h"

namespace nfx::jit {

// Says why a kernel cannot be compiled, if it cannot: a dtype without registers.
Status check_compilable(const Kernel& kernel);

// One function `symbol` of KernelFn's type.
std::unique_ptr<llvm::Module> generate(llvm::LLVMContext& context, const Kernel& kernel,
                                       const Schedule& schedule, const Target& target,
                                       const std::string& symbol);

struct GeneratedCode {
  std::string object;    // bytes of an object file
  std::string ir;        // text after the passes, if asked for
  std::string assembly;  // likewise
};

Result<GeneratedCode> generate_code(const Kernel& kernel, const Schedule& schedule,
                                    const Target& target, const std::string& symbol,
                                    bool with_text);

}  // namespace nfx::jit
