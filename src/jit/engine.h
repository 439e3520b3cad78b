// Objects linked into this process.
#pragma once
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
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Links an object and finds its function. Thread safe; symbols are unique.
  Result<LinkedKernel> link(const std::string& object, const std::string& symbol);

 private:
  struct Linker;
  explicit Engine(std::unique_ptr<Linker> linker);
  std::unique_ptr<Linker> linker_;
};

}  // namespace nfx::jit
