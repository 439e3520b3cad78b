// The interface: caches, threads, targets, diagnostics.
#include "jit/jit.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "jit/compiled.h"
#include "jit/engine.h"
#include "jit/generate.h"
#include "jit/host_functions.h"
#include "jit/object_cache.h"
#include "loop/kernels.h"
#include "loop/random_kernel.h"

namespace nfx {
namespace {

namespace fs = std::filesystem;
using testing_kernels::parsed;

// A folder that goes with the test.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("nfx-jit-test-" + std::to_string(::getpid()))) {
    fs::remove_all(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string path() const { return path_.string(); }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(path_)) {
      if (entry.is_regular_file()) found.push_back(entry.path());
    }
    return found;
  }

 private:
  fs::path path_;
};

std::vector<Memory> softmax_memory() {
  return {{Dtype::kFloat32, std::vector<double>{1, 2, 3, 4, 5, 6}}, {Dtype::kFloat32, 6}};
}

void expect_softmax_works(Jit& jit) {
  expect_as_interpreted(parsed(testing_kernels::kSoftmax), softmax_memory(), {2, 3}, 1e-6, jit);
}

std::unique_ptr<Jit> make_jit(const JitOptions& options) {
  auto made = Jit::create(options);
  EXPECT_TRUE(made.ok());
  return std::move(*made);
}

TEST(JitCache, EqualKernelsAreCompiledOnce) {
  const auto jit = make_jit({});
  Kernel renamed = parsed(testing_kernels::kSoftmax);
  renamed.name = "another name";
  const auto first = compiled(parsed(testing_kernels::kSoftmax), *jit);
  const auto second = compiled(renamed, *jit);
  EXPECT_EQ(first, second);
  EXPECT_EQ(jit->stats().compiled, 1);
  EXPECT_EQ(jit->stats().memory_hits, 1);
  const auto other = compiled(parsed(testing_kernels::kColumnSum), *jit);
  EXPECT_NE(first, other);
  EXPECT_EQ(jit->stats().compiled, 2);
}

TEST(JitCache, ConstantsDistinguishKernelsToTheBit) {
  const auto jit = make_jit({});
  const std::string text = R"(
kernel k(b0: float32 out)
stage store b0[0] = )";
  const auto zero = compiled(parsed(text + "0.0f"), *jit);
  const auto minus_zero = compiled(parsed(text + "-0.0f"), *jit);
  EXPECT_NE(zero, minus_zero);
}

TEST(JitCache, ObjectsAreFoundOnDisk) {
  const Folder folder;
  expect_softmax_works(*make_jit({.cache_dir = folder.path()}));
  ASSERT_EQ(folder.files().size(), 1U);
  const auto jit = make_jit({.cache_dir = folder.path()});
  expect_softmax_works(*jit);
  EXPECT_EQ(jit->stats().disk_hits, 1);
  EXPECT_EQ(jit->stats().compiled, 0);
}

// Cut short, changed in any part, or empty: rebuilt, and right again afterwards.
TEST(JitCache, DamagedObjectsAreRebuilt) {
  const Folder folder;
  expect_softmax_works(*make_jit({.cache_dir = folder.path()}));
  const fs::path file = folder.files().at(0);
  const auto size = static_cast<int64_t>(fs::file_size(file));
  for (const int64_t place : {int64_t{0}, int64_t{20}, int64_t{60}, size / 2, size - 1}) {
    {
      std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
      stream.seekg(place);
      const auto byte = static_cast<char>(stream.get() ^ 0x55);
      stream.seekp(place);
      stream.put(byte);
    }
    const auto jit = make_jit({.cache_dir = folder.path()});
    expect_softmax_works(*jit);
    EXPECT_EQ(jit->stats().compiled, 1) << "byte " << place;
  }
  for (const int64_t length : {int64_t{0}, int64_t{30}, size - 1}) {
    fs::resize_file(file, static_cast<uintmax_t>(length));
    const auto jit = make_jit({.cache_dir = folder.path()});
    expect_softmax_works(*jit);
    EXPECT_EQ(jit->stats().compiled, 1) << "length " << length;
  }
  const auto jit = make_jit({.cache_dir = folder.path()});
  expect_softmax_works(*jit);
  EXPECT_EQ(jit->stats().disk_hits, 1);
}

TEST(JitCache, FolderThatCannotBeWrittenIsNoError) {
  expect_softmax_works(*make_jit({.cache_dir = "/proc/no-such-folder"}));
}

TEST(JitCache, TargetsDoNotShareObjects) {
  const Folder folder;
  expect_softmax_works(*make_jit({.cache_dir = folder.path()}));
  const auto narrow = make_jit({.cache_dir = folder.path(), .vector_bits = 128});
  expect_softmax_works(*narrow);
  EXPECT_EQ(narrow->stats().compiled,
            narrow->vector_bytes() == make_jit({})->vector_bytes() ? 0 : 1);
}

TEST(Jit, ThreadsShareOneCompilation) {
  const auto jit = make_jit({});
  std::vector<std::shared_ptr<const CompiledKernel>> results(8);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < results.size(); ++t) {
    threads.emplace_back([&, t] {
      results[t] = compiled(
          parsed(t % 2 == 0 ? testing_kernels::kSoftmax : testing_kernels::kColumnSum), *jit);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(jit->stats().compiled, 2);
  for (size_t t = 2; t < results.size(); ++t) EXPECT_EQ(results[t], results[t - 2]);
}

TEST(Jit, KernelsOutliveTheJit) {
  const Kernel kernel = parsed(testing_kernels::kSoftmax);
  auto jit = make_jit({});
  const auto code = compiled(kernel, *jit);
  jit.reset();
  std::vector<Memory> got = softmax_memory();
  std::vector<Memory> want = softmax_memory();
  run(kernel, *code, got, {2, 3});
  run_reference(kernel, want, {2, 3});
  EXPECT_EQ(difference(got[1], want[1], 1e-6), "");
}

// Work items in halves on two threads and in single steps give the same bits.
TEST(Jit, ThreadsDoNotChangeBits) {
  for (uint64_t seed = 500; seed < 520; ++seed) {
    const RandomKernel random = random_kernel(seed);
    const auto code = compiled(random.kernel);
    std::vector<Memory> one = random.memory;
    std::vector<Memory> two = random.memory;
    run(random.kernel, *code, one, random.scalars);
    const std::vector<void*> buffers = pointers(two);
    const int64_t items = work_items(random.kernel, code->schedule, random.scalars.data());
    std::thread first([&] { code->run(buffers.data(), random.scalars.data(), 0, items / 2); });
    std::thread second([&] { code->run(buffers.data(), random.scalars.data(), items / 2, items); });
    first.join();
    second.join();
    for (size_t b = 0; b < one.size(); ++b) EXPECT_TRUE(same_bits(one[b], two[b])) << seed;
  }
}

TEST(Jit, DumpsWhatItCompiles) {
  const Folder folder;
  expect_softmax_works(*make_jit({.dump_dir = folder.path()}));
  EXPECT_EQ(folder.files().size(), 2U);  // IR and assembly
}

TEST(Jit, UnknownTargets) {
  for (const JitOptions& options : {JitOptions{.triple = "pdp11-dec-unix"}, {.cpu = "z80"}}) {
    const auto made = Jit::create(options);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().code, "jit-unknown-target");
  }
}

// Code for a machine that this one is not.
TEST(Jit, GeneratesForNeon) {
  const auto target = jit::detect_target({.triple = "aarch64-linux-gnu", .cpu = "neoverse-n1"});
  ASSERT_TRUE(target.ok()) << target.error().str();
  EXPECT_EQ(target->vector_bytes, 16);
  const Kernel kernel = parsed(testing_kernels::kWeightedSum);
  const auto code = jit::generate_code(kernel, make_schedule(kernel, 16), *target, "f", true);
  ASSERT_TRUE(code.ok());
  EXPECT_NE(code->assembly.find("fmla"), std::string::npos);
  EXPECT_NE(code->assembly.find(".4s"), std::string::npos);
}

TEST(Jit, UnsupportedDtype) {
  Kernel kernel = parsed(testing_kernels::kSoftmax);
  kernel.buffers[0].dtype = Dtype::kComplex64;
  const auto code = host_jit().compile(kernel);
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.error().code, "jit-unsupported-dtype");
}

TEST(Jit, ObjectsThatAreNone) {
  const auto target = jit::detect_target({});
  ASSERT_TRUE(target.ok());
  const auto engine = jit::Engine::create(*target);
  ASSERT_TRUE(engine.ok());
  const auto linked = (*engine)->link("not an object file", "f");
  ASSERT_FALSE(linked.ok());
  EXPECT_EQ(linked.error().code, "jit-link-failed");
}

}  // namespace
}  // namespace nfx
