#include "compiler/kernel_bundle.h"

#include <cstring>
#include <unordered_set>

#include "compiler/section_file.h"

namespace nfx {
namespace {

void put(std::string& out, const std::string& text) {
  const uint64_t size = text.size();
  out.append(reinterpret_cast<const char*>(&size), sizeof size);
  out += text;
}

// Takes one text off the front; false if the bytes end before it does.
bool take(std::span<const std::byte>& bytes, std::string& text) {
  uint64_t size = 0;
  if (bytes.size() < sizeof size) return false;
  std::memcpy(&size, bytes.data(), sizeof size);
  bytes = bytes.subspan(sizeof size);
  if (size > bytes.size()) return false;
  text.assign(reinterpret_cast<const char*>(bytes.data()), size);
  bytes = bytes.subspan(size);
  return true;
}

}  // namespace

Result<std::vector<KernelObject>> kernel_objects(const Plan& plan, Jit& jit) {
  std::vector<KernelObject> objects;
  std::unordered_set<const CompiledKernel*> seen;
  for (const KernelStep& step : plan.kernels) {
    if (!seen.insert(step.code.get()).second) continue;
    NFX_ASSIGN(KernelObject object, jit.object(step.kernel, step.code->schedule));
    objects.push_back(std::move(object));
  }
  return objects;
}

std::string pack_kernels(std::span<const KernelObject> objects) {
  std::string bytes;
  for (const KernelObject& object : objects) {
    put(bytes, object.key);
    put(bytes, object.object);
  }
  return bytes;
}

Result<std::vector<KernelObject>> unpack_kernels(std::span<const std::byte> bytes) {
  std::vector<KernelObject> objects;
  while (!bytes.empty()) {
    KernelObject object;
    if (!take(bytes, object.key) || !take(bytes, object.object)) {
      return bad_program("its machine code is cut off");
    }
    objects.push_back(std::move(object));
  }
  return objects;
}

}  // namespace nfx
