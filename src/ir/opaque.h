// Objects that only their owner understands (a Python function, a FakeTensor).
// The IR keeps them alive, prints their label, and hands the same object back.
#pragma once
#include <string>

namespace nfx {

// Implemented by the owner (the Python module). Called with no lock held.
class OpaqueOwner {
 public:
  virtual ~OpaqueOwner() = default;
  virtual void retain(void* object) = 0;
  virtual void release(void* object) = 0;
  virtual std::string label(void* object) = 0;  // for the text form: "torch.relu"
};

}  // namespace nfx
