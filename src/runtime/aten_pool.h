// PyTorch's tensors over memory of the pool.
//
// PyTorch makes a storage from an allocator and asks that allocator again when
// the storage is resized; when the storage dies, in whatever thread and however
// late, it calls the deleter that came with the memory. So tensors made with an
// allocator of ours are like any other (exact bytes, resizable, to be shared or
// saved), and their memory comes back. The stable C ABI takes no allocator: this
// is an exported function of C++, used only where the running PyTorch's own
// symbols show that the class `Allocator` is laid out as declared here.
// Test: tests/python/test_output_pool.py
#pragma once
#include "runtime/aten_tensor.h"

namespace nfx {

class AtenPool {
 public:
  // Null where PyTorch is not as expected, or until `enable`.
  static const AtenPool* get();

  // Finds the function and checks the class. `cpu_keys`: the bits of PyTorch's
  // dispatch key set of an ordinary CPU tensor.
  static bool enable(uint64_t cpu_keys);
  // Back to PyTorch's own memory, where a tensor turned out not to be as it should.
  static void disable();

  // A new CPU tensor: large ones have memory of the pool, others PyTorch's.
  // Null if PyTorch refuses the sizes.
  AtenHandle empty_strided(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                           Dtype dtype) const;

 private:
  void* make_ = nullptr;  // at::detail::empty_strided_generic
  uint64_t cpu_keys_ = 0;
};

}  // namespace nfx
