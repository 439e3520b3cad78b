#include "python/process_jit.h"

#include <map>
#include <mutex>

#include "python/diagnostic_error.h"

namespace nfx::python {

std::shared_ptr<Jit> process_jit(const std::string& cache_dir, uint64_t cache_limit) {
  static std::mutex mutex;
  static auto* const shared = new std::map<std::string, std::shared_ptr<Jit>>;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Jit>& jit = (*shared)[cache_dir];
  if (jit == nullptr) {
    jit = value_or_raise(Jit::create({.cache_dir = cache_dir, .cache_limit = cache_limit}));
  }
  return jit;
}

std::shared_ptr<Jit> dumping_jit(const std::string& dump_dir) {
  return value_or_raise(Jit::create({.dump_dir = dump_dir}));
}

}  // namespace nfx::python
