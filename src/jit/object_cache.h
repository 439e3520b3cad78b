// Compiled objects on disk, shared by any number of processes. A file that is
// damaged, or holds another key, counts as missing.
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

namespace nfx::jit {

class ObjectCache {
 public:
  // An empty folder: nothing is kept. The folder may hold about `limit` bytes.
  ObjectCache(std::string folder, uint64_t limit) : folder_(std::move(folder)), limit_(limit) {}

  std::optional<std::string> load(const std::string& key) const;
  // Failing to write is no error: the object is then made again next time.
  void store(const std::string& key, const std::string& object);
  std::string path(const std::string& key) const;

  // Removes what was not used for longest until three quarters of the limit are
  // left, if the folder holds more than the limit, and what interrupted processes
  // left behind. `store` calls it now and then.
  void trim() const;

 private:
  std::string folder_;
  uint64_t limit_;
  std::atomic<uint64_t> unchecked_ = UINT64_MAX / 2;  // bytes stored since the last trim
};

}  // namespace nfx::jit
