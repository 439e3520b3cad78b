// Loop kernel → object file.
#pragma once
#include <string>

#include "jit/target.h"
#include "loop/schedule.h"
#include "support/result.h"

namespace nfx::jit {

// Says why a kernel cannot be compiled, if it cannot: a dtype without registers.
Status check_compilable(const Kernel& kernel);

struct GeneratedCode {
  std::string object;    // bytes of an object file
  std::string ir;        // text after the passes
  std::string assembly;  // of the same
};

// With one function `symbol` of KernelFn's type. `with_text` also fills the texts.
Result<GeneratedCode> generate_code(const Kernel& kernel, const Schedule& schedule,
                                    const Target& target, const std::string& symbol,
                                    bool with_text);

}  // namespace nfx::jit
