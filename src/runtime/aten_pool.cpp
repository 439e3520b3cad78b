#include "runtime/aten_pool.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <atomic>
#include <cstring>
#include <exception>
#include <memory>

#include "runtime/memory_pool.h"

namespace nfx {

// What stands here is laid out as PyTorch's classes of these names are. Not in an
// unnamed namespace: there a compiler may conclude that `Allocator` has no other
// implementations than ours.
namespace pytorch {

using Deleter = void (*)(void*);

struct DataPtr {
  void* data;
  std::unique_ptr<void, Deleter> context;
  int8_t device_type;
  int8_t device_index;
};

class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual DataPtr allocate(size_t bytes) = 0;
  virtual bool is_simple_data_ptr(const DataPtr& memory) const = 0;
  virtual Deleter raw_deleter() const = 0;
  virtual void copy_data(void* to, const void* from, size_t bytes) const = 0;
};

struct ArrayRef {
  const int64_t* data;
  size_t size;
};

// A tensor as a function returns it. Never destroyed here: a handle owns it.
struct Tensor {
  void* impl;
  ~Tensor() {}  // not trivial, so that it is returned in memory
};

}  // namespace pytorch

namespace {

using pytorch::Allocator;
using pytorch::ArrayRef;
using pytorch::DataPtr;
using pytorch::Deleter;
using pytorch::Tensor;

using MakeTensor = Tensor (*)(ArrayRef sizes, ArrayRef strides, Allocator* allocator, uint64_t keys,
                              int8_t dtype);

// Its vtable as the ABI of C++ lays it out: two words, then the functions.
enum VtableWord : size_t { kAllocate = 4, kIsSimple = 5, kRawDeleter = 6, kCopyData = 7, kWords };

Allocator* pytorch_allocator = nullptr;

class PoolAllocator final : public Allocator {
 public:
  DataPtr allocate(size_t bytes) override {
    if (bytes < static_cast<size_t>(MemoryPool::kSmallest)) {
      return pytorch_allocator->allocate(bytes);
    }
    std::byte* data = MemoryPool::process().take(static_cast<int64_t>(bytes));
    if (data == nullptr) return pytorch_allocator->allocate(bytes);  // which says that it has none
    return {data, {data, give_back}, static_cast<int8_t>(aten_abi().cpu), -1};
  }
  bool is_simple_data_ptr(const DataPtr& memory) const override {
    return memory.data == memory.context.get();
  }
  // None: its memory has deleters of two kinds.
  Deleter raw_deleter() const override { return nullptr; }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }

 private:
  static void give_back(void* data) { MemoryPool::process().give_back(data); }
};

// The vtable of PyTorch's `Allocator`, if its size and the functions that have
// names show the order declared above.
bool is_as_declared(void* c10) {
  void* const* vtable = static_cast<void**>(dlsym(c10, "_ZTVN3c109AllocatorE"));
  void* simple = dlsym(c10, "_ZNK3c109Allocator18is_simple_data_ptrERKNS_7DataPtrE");
  void* pure = dlsym(RTLD_DEFAULT, "__cxa_pure_virtual");
  if (vtable == nullptr || simple == nullptr || pure == nullptr) return false;
  Dl_info info{};
  void* found = nullptr;
  if (dladdr1(vtable, &info, &found, RTLD_DL_SYMENT) == 0 || found == nullptr) return false;
  const auto* symbol = static_cast<const ElfW(Sym)*>(found);
  return symbol->st_size == kWords * sizeof(void*) && vtable[kAllocate] == pure &&
         vtable[kIsSimple] == simple && vtable[kRawDeleter] != pure && vtable[kCopyData] == pure;
}

std::atomic<const AtenPool*> enabled{nullptr};

}  // namespace

const AtenPool* AtenPool::get() { return enabled.load(std::memory_order_acquire); }
void AtenPool::disable() { enabled.store(nullptr, std::memory_order_release); }

bool AtenPool::enable(uint64_t cpu_keys) {
  static AtenPool pool;
  void* c10 = dlopen("libc10.so", RTLD_NOLOAD | RTLD_NOW);
  if (c10 == nullptr || !is_as_declared(c10)) return false;
  const auto allocator =
      reinterpret_cast<Allocator* (*)()>(dlsym(c10, "_ZN3c1015GetCPUAllocatorEv"));
  pool.make_ = aten_abi().symbol(
      "_ZN2at6detail21empty_strided_genericEN3c108ArrayRefIlEES3_PNS1_9AllocatorE"
      "NS1_14DispatchKeySetENS1_10ScalarTypeE");
  if (allocator == nullptr || pool.make_ == nullptr) return false;
  pytorch_allocator = allocator();
  pool.cpu_keys_ = cpu_keys;
  enabled.store(&pool, std::memory_order_release);
  return true;
}

AtenHandle AtenPool::empty_strided(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                                   Dtype dtype) const {
  static auto* const allocator = new PoolAllocator;  // storages keep it as long as they live
  const auto make = reinterpret_cast<MakeTensor>(make_);
  try {
    auto* tensor = new Tensor(make({sizes.data(), sizes.size()}, {strides.data(), strides.size()},
                                   allocator, cpu_keys_, static_cast<int8_t>(dtype)));
    return reinterpret_cast<AtenHandle>(tensor);
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace nfx
