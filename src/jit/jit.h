// Loop kernel → machine code.
//
//   auto jit = *Jit::create({.cache_dir = "..."});
//   auto code = *jit->compile(kernel);
//   code->run(buffers, scalars, 0, work_items(kernel, code->schedule, scalars));
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "loop/schedule.h"
#include "support/result.h"

namespace nfx {

// Runs the work items begin .. end-1. `buffers` are the addresses of the
// kernel's buffers in order, `scalars` its scalars (float64 as their bits). What
// a row computes does not depend on the range it is run in. An output may share
// memory with an input only where each element is read by the position that
// writes it.
using KernelFn = void (*)(void* const* buffers, const int64_t* scalars, int64_t begin, int64_t end);

struct CompiledKernel {
  KernelFn run = nullptr;
  Schedule schedule;
  std::shared_ptr<const void> code;  // keeps the machine code alive
};

struct JitOptions {
  std::string cache_dir;                     // of compiled objects; empty: none is kept on disk
  uint64_t cache_limit = uint64_t{1} << 30;  // bytes that the folder may hold
  std::string triple;                        // of the target; empty: this machine's
  std::string cpu;       // LLVM's name; empty: this machine's, or any of the triple
  std::string features;  // LLVM's list ("+avx2,-avx512f"), added to the CPU's
  int vector_bits = 0;   // 0: the widest that the target has
  std::string dump_dir;  // writes <kernel>-<key>.ll and .s of each compiled kernel
};

struct JitStats {
  int64_t compiled = 0;
  int64_t memory_hits = 0;
  int64_t disk_hits = 0;
  double compile_ms = 0;  // from kernel to callable code, without cache hits
  double load_ms = 0;     // of disk hits
};

// Machine code of a kernel, for programs that are saved. The key says all that the
// code depends on besides the generator and the target.
struct KernelObject {
  std::string key;
  std::string object;
};

// Thread safe. Equal kernels are compiled once, also when asked for at the same
// time. Kernels stay valid after the Jit is gone.
class Jit {
 public:
  static Result<std::unique_ptr<Jit>> create(const JitOptions& options = {});
  ~Jit();
  Jit(const Jit&) = delete;
  Jit& operator=(const Jit&) = delete;

  Result<std::shared_ptr<const CompiledKernel>> compile(const Kernel& kernel);
  Result<std::shared_ptr<const CompiledKernel>> compile(const Kernel& kernel,
                                                        const Schedule& schedule);

  // The object of a kernel: one that is known, or generated anew.
  Result<KernelObject> object(const Kernel& kernel, const Schedule& schedule);
  // Lets `compile` link this object; it must come from a Jit of the same generator and target.
  void add_object(KernelObject object);
  const std::string& generator() const;  // which build of the code generator

  int vector_bytes() const;
  const std::string& target() const;  // triple, CPU and features, as keyed by
  JitStats stats() const;

 private:
  class Impl;
  explicit Jit(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace nfx
