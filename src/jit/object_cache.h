// Compiled objects on disk. A file that is damaged, or holds another key, counts
// as missing.
#pragma once
#include <optional>
#include <string>

namespace nfx::jit {

class ObjectCache {
 public:
  explicit ObjectCache(std::string folder) : folder_(std::move(folder)) {}

  std::optional<std::string> load(const std::string& key) const;
  // Failing to write is no error: the object is then made again next time.
  void store(const std::string& key, const std::string& object) const;
  std::string path(const std::string& key) const;

 private:
  std::string folder_;  // empty: nothing is kept
};

}  // namespace nfx::jit
