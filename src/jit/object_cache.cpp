#include "jit/object_cache.h"

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "jit/kernel_key.h"

namespace nfx::jit {
namespace {

namespace fs = std::filesystem;

constexpr size_t kHashLength = 32;
constexpr char kMagic[] = "nativefx object 1\n";
constexpr size_t kMagicLength = sizeof kMagic - 1;

// magic, hash of what follows, length of the key, key, object
std::string pack(const std::string& key, const std::string& object) {
  const uint64_t length = key.size();
  std::string payload(reinterpret_cast<const char*>(&length), sizeof length);
  payload += key;
  payload += object;
  return kMagic + hash_text(payload) + payload;
}

std::optional<std::string> unpack(const std::string& file, const std::string& key) {
  const size_t start = kMagicLength + kHashLength;
  const size_t object = start + sizeof(uint64_t) + key.size();
  if (file.size() < object || file.compare(0, kMagicLength, kMagic) != 0) return std::nullopt;
  uint64_t length = 0;
  std::memcpy(&length, file.data() + start, sizeof length);
  if (length != key.size() || file.compare(start + sizeof length, length, key) != 0) {
    return std::nullopt;
  }
  if (file.compare(kMagicLength, kHashLength, hash_text(file.substr(start))) != 0) {
    return std::nullopt;
  }
  return file.substr(object);
}

}  // namespace

std::string ObjectCache::path(const std::string& key) const {
  const std::string name = hash_text(key);
  return (fs::path(folder_) / name.substr(0, 2) / (name + ".o")).string();
}

std::optional<std::string> ObjectCache::load(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  std::ifstream stream(path(key), std::ios::binary);
  if (!stream) return std::nullopt;
  const std::string file{std::istreambuf_iterator<char>(stream), {}};
  return unpack(file, key);
}

void ObjectCache::store(const std::string& key, const std::string& object) const {
  if (folder_.empty()) return;
  static std::atomic<uint64_t> counter{0};
  const fs::path target = path(key);
  std::error_code error;
  fs::create_directories(target.parent_path(), error);
  const fs::path temporary = target.string() + "." + std::to_string(::getpid()) + "." +
                             std::to_string(counter.fetch_add(1));
  {
    std::ofstream stream(temporary, std::ios::binary);
    stream << pack(key, object);
    stream.close();
    if (!stream) {
      fs::remove(temporary, error);
      return;
    }
  }
  fs::rename(temporary, target, error);
  if (error) fs::remove(temporary, error);
}

}  // namespace nfx::jit
