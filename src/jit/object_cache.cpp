#include "jit/object_cache.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "jit/kernel_key.h"

namespace nfx::jit {
namespace {

namespace fs = std::filesystem;

constexpr size_t kHashLength = 32;
constexpr char kMagic[] = "nativefx object 1\n";
constexpr size_t kMagicLength = sizeof kMagic - 1;

// The folder is looked through each time that this part of the limit was stored.
constexpr uint64_t kTrimsPerLimit = 16;
constexpr auto kWriteTime = std::chrono::hours(1);  // no write takes longer
constexpr auto kUseResolution = std::chrono::hours(1);

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

// Files of the cache bear the hash of their key. Nothing else in the folder is
// touched, should somebody name one that holds more.
bool is_hash(std::string_view text) {
  return text.size() == kHashLength &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

struct Entry {
  fs::file_time_type used;
  uint64_t bytes;
  fs::path path;
};

struct Contents {
  std::vector<Entry> entries;
  std::vector<fs::path> leftovers;  // temporaries whose writers are gone
  uint64_t bytes = 0;
};

// Another process may remove files while they are listed: such count for nothing.
void list_folder(const fs::path& folder, Contents& contents) {
  const auto now = fs::file_time_type::clock::now();
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!is_hash(std::string_view(name).substr(0, kHashLength))) continue;
    std::error_code gone;
    const fs::file_time_type used = it->last_write_time(gone);
    const uint64_t bytes = gone ? 0 : it->file_size(gone);
    if (gone) continue;
    const std::string_view ending = std::string_view(name).substr(kHashLength);
    if (ending == ".o") {
      contents.entries.push_back({used, bytes, it->path()});
      contents.bytes += bytes;
    } else if (ending.starts_with(".o.") && now - used > kWriteTime) {
      contents.leftovers.push_back(it->path());
    }
  }
}

Contents list_contents(const fs::path& folder) {
  Contents contents;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().size() == 2) list_folder(it->path(), contents);
  }
  return contents;
}

// Lets `trim` see what is in use. Once an hour is enough to tell.
void mark_used(const fs::path& path) {
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  const auto before = fs::last_write_time(path, error);
  if (!error && now - before > kUseResolution) fs::last_write_time(path, now, error);
}

}  // namespace

std::string ObjectCache::path(const std::string& key) const {
  const std::string name = hash_text(key);
  return (fs::path(folder_) / name.substr(0, 2) / (name + ".o")).string();
}

std::optional<std::string> ObjectCache::load(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const std::string name = path(key);
  std::ifstream stream(name, std::ios::binary);
  if (!stream) return std::nullopt;
  const std::string file{std::istreambuf_iterator<char>(stream), {}};
  std::optional<std::string> object = unpack(file, key);
  if (object) mark_used(name);
  return object;
}

void ObjectCache::store(const std::string& key, const std::string& object) {
  if (folder_.empty()) return;
  static std::atomic<uint64_t> counter{0};
  const fs::path target = path(key);
  std::error_code error;
  fs::create_directories(target.parent_path(), error);
  const fs::path temporary = target.string() + "." + std::to_string(::getpid()) + "." +
                             std::to_string(counter.fetch_add(1));
  const std::string packed = pack(key, object);
  {
    std::ofstream stream(temporary, std::ios::binary);
    stream << packed;
    stream.close();
    if (!stream) {
      fs::remove(temporary, error);
      return;
    }
  }
  fs::rename(temporary, target, error);
  if (error) fs::remove(temporary, error);
  if (unchecked_.fetch_add(packed.size()) + packed.size() > limit_ / kTrimsPerLimit) {
    unchecked_ = 0;
    trim();
  }
}

void ObjectCache::trim() const {
  Contents contents = list_contents(folder_);
  std::error_code ignored;
  for (const fs::path& path : contents.leftovers) fs::remove(path, ignored);
  if (contents.bytes <= limit_) return;
  std::ranges::sort(contents.entries, {}, &Entry::used);
  for (const Entry& entry : contents.entries) {
    if (contents.bytes <= limit_ / 4 * 3) break;
    fs::remove(entry.path, ignored);
    contents.bytes -= entry.bytes;
  }
}

}  // namespace nfx::jit
