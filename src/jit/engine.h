// Objects linked into this process.
#pragma once
#include <llvm/ExecutionEngine/Orc/LLJIT.h>

#include <memory>
#include <string>

#include "jit/jit.h"
#include "jit/target.h"

namespace nfx::jit {

struct LinkedKernel {
  KernelFn run;
};

class Engine {
 public:
  static Result<std::shared_ptr<Engine>> create(const Target& target);
  // Links an object and finds its function. Thread safe; symbols are unique.
  Result<LinkedKernel> link(const std::string& object, const std::string& symbol);

 private:
  std::unique_ptr<llvm::orc::LLJIT> jit_;
};

}  // namespace nfx::jit
