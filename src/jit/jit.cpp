#include "jit/jit.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>
#include <unordered_map>

#include "jit/engine.h"
#include "jit/generate.h"
#include "jit/generator_version.h"
#include "jit/kernel_key.h"
#include "jit/object_cache.h"

namespace nfx {
namespace {

using Compiled = Result<std::shared_ptr<const CompiledKernel>>;
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::string symbol_name(const std::string& full_key) {
  return "nfx_kernel_" + jit::hash_text(full_key);
}

}  // namespace

class Jit::Impl {
 public:
  Impl(const JitOptions& options, jit::Target target, std::shared_ptr<jit::Engine> engine)
      : target_(std::move(target)),
        engine_(std::move(engine)),
        disk_(options.cache_dir, options.cache_limit),
        dump_dir_(options.dump_dir),
        generator_(jit::generator_version()),
        version_(generator_ + " " + target_.description) {}

  Compiled compile(const Kernel& kernel, const Schedule& schedule);
  Result<KernelObject> object(const Kernel& kernel, const Schedule& schedule);
  void add_object(KernelObject object) {
    const std::lock_guard lock(mutex_);
    known_.insert_or_assign(std::move(object.key), std::move(object.object));
  }
  const jit::Target& target() const { return target_; }
  const std::string& generator() const { return generator_; }
  JitStats stats() const {
    const std::lock_guard lock(mutex_);
    return stats_;
  }

 private:
  Compiled make(const Kernel& kernel, const Schedule& schedule, const std::string& key);
  std::optional<std::string> known_object(const std::string& key, const std::string& full_key);
  std::string full_key(const std::string& key) const { return version_ + "\n" + key; }
  Compiled link(const std::string& object, const std::string& symbol, const Schedule& schedule);
  void dump(const Kernel& kernel, const jit::GeneratedCode& code, const std::string& symbol) const;

  jit::Target target_;
  std::shared_ptr<jit::Engine> engine_;
  jit::ObjectCache disk_;
  std::string dump_dir_;
  std::string generator_;
  std::string version_;  // the generator and its target
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_future<Compiled>> kernels_;
  std::unordered_map<std::string, std::string> known_;  // objects that were given, by key
  JitStats stats_;
};

// The first to ask compiles; the others wait for its result.
Compiled Jit::Impl::compile(const Kernel& kernel, const Schedule& schedule) {
  const std::string key = jit::kernel_key(kernel, schedule);
  std::promise<Compiled> promise;
  std::shared_future<Compiled> known;
  {
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = kernels_.try_emplace(key);
    if (is_new) {
      place->second = promise.get_future().share();
    } else {
      ++stats_.memory_hits;
      known = place->second;
    }
  }
  if (known.valid()) return known.get();
  Compiled result = make(kernel, schedule, key);
  promise.set_value(result);
  return result;
}

// What was given, else what lies on disk.
std::optional<std::string> Jit::Impl::known_object(const std::string& key,
                                                   const std::string& full_key) {
  {
    const std::lock_guard lock(mutex_);
    const auto given = known_.find(key);
    if (given != known_.end()) return given->second;
  }
  return disk_.load(full_key);
}

Result<KernelObject> Jit::Impl::object(const Kernel& kernel, const Schedule& schedule) {
  std::string key = jit::kernel_key(kernel, schedule);
  const std::string full = full_key(key);
  if (std::optional<std::string> known = known_object(key, full)) {
    return KernelObject{std::move(key), std::move(*known)};
  }
  NFX_ASSIGN(jit::GeneratedCode code,
             jit::generate_code(kernel, schedule, target_, symbol_name(full), false));
  return KernelObject{std::move(key), std::move(code.object)};
}

Compiled Jit::Impl::make(const Kernel& kernel, const Schedule& schedule, const std::string& key) {
  const auto start = Clock::now();
  const std::string full = full_key(key);
  const std::string symbol = symbol_name(full);
  if (const std::optional<std::string> object = known_object(key, full)) {
    Compiled linked = link(*object, symbol, schedule);
    const std::lock_guard lock(mutex_);
    ++stats_.disk_hits;
    stats_.load_ms += milliseconds_since(start);
    return linked;
  }
  NFX_ASSIGN(const jit::GeneratedCode code,
             jit::generate_code(kernel, schedule, target_, symbol, !dump_dir_.empty()));
  if (!dump_dir_.empty()) dump(kernel, code, symbol);
  NFX_ASSIGN(std::shared_ptr<const CompiledKernel> linked, link(code.object, symbol, schedule));
  {
    const std::lock_guard lock(mutex_);
    ++stats_.compiled;
    stats_.compile_ms += milliseconds_since(start);
  }
  disk_.store(full, code.object);
  return linked;
}

Compiled Jit::Impl::link(const std::string& object, const std::string& symbol,
                         const Schedule& schedule) {
  NFX_ASSIGN(const jit::LinkedKernel linked, engine_->link(object, symbol));
  auto compiled = std::make_shared<CompiledKernel>();
  compiled->run = linked.run;
  compiled->schedule = schedule;
  compiled->code = engine_;
  return std::shared_ptr<const CompiledKernel>(std::move(compiled));
}

void Jit::Impl::dump(const Kernel& kernel, const jit::GeneratedCode& code,
                     const std::string& symbol) const {
  std::error_code ignored;
  std::filesystem::create_directories(dump_dir_, ignored);
  const std::string stem = dump_dir_ + "/" + kernel.name + "-" + symbol.substr(symbol.size() - 8);
  std::ofstream(stem + ".ll") << code.ir;
  std::ofstream(stem + ".s") << code.assembly;
}

Jit::Jit(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Jit::~Jit() = default;

Result<std::unique_ptr<Jit>> Jit::create(const JitOptions& options) {
  NFX_ASSIGN(jit::Target target, jit::detect_target(options));
  NFX_ASSIGN(std::shared_ptr<jit::Engine> engine, jit::Engine::create(target));
  auto impl = std::make_unique<Impl>(options, std::move(target), std::move(engine));
  return std::unique_ptr<Jit>(new Jit(std::move(impl)));
}

Compiled Jit::compile(const Kernel& kernel) {
  return compile(kernel, make_schedule(kernel, vector_bytes()));
}

Compiled Jit::compile(const Kernel& kernel, const Schedule& schedule) {
  return impl_->compile(kernel, schedule);
}

Result<KernelObject> Jit::object(const Kernel& kernel, const Schedule& schedule) {
  return impl_->object(kernel, schedule);
}

void Jit::add_object(KernelObject object) { impl_->add_object(std::move(object)); }

const std::string& Jit::generator() const { return impl_->generator(); }
int Jit::vector_bytes() const { return impl_->target().vector_bytes; }
const std::string& Jit::target() const { return impl_->target().description; }
JitStats Jit::stats() const { return impl_->stats(); }

}  // namespace nfx
