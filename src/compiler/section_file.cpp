#include "compiler/section_file.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "runtime/thread_pool.h"

namespace nfx {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "numbers are written as they are");

constexpr std::string_view kMagic = "nativefx program";
constexpr uint32_t kVersion = 1;

using Hash = std::array<uint64_t, 2>;

struct Header {
  std::array<char, 16> magic;
  uint32_t version;
  uint32_t count;
  uint64_t file_size;
  Hash table_hash;
};
static_assert(sizeof(Header) == 48);

struct Entry {
  std::array<char, 32> name;
  uint64_t offset;
  uint64_t size;
  Hash hash;
};
static_assert(sizeof(Entry) == 64);

struct BadProgram {
  static constexpr std::string_view kCode = "bad-program";
  std::string reason;
  std::string message() const { return "this is no compiled program as it was saved: " + reason; }
  std::string help() const { return "compile the model and save it again"; }
};
NFX_DIAGNOSTIC(BadProgram);

struct CannotWrite {
  static constexpr std::string_view kCode = "cannot-write-program";
  std::string path;
  std::string message() const { return "cannot write `" + path + "`"; }
  std::string help() const { return "give a path in a folder that can be written, with room"; }
};
NFX_DIAGNOSTIC(CannotWrite);

uint64_t aligned(uint64_t offset) {
  return (offset + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

Hash hash_of(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

std::vector<Entry> make_table(std::span<const Section> sections) {
  std::vector<Entry> table;
  uint64_t offset = aligned(sizeof(Header) + sections.size() * sizeof(Entry));
  for (const Section& section : sections) {
    assert(section.name.size() < Entry{}.name.size() && "section names are short");
    Entry entry{
        .name = {}, .offset = offset, .size = section.bytes.size(), .hash = hash_of(section.bytes)};
    std::ranges::copy(section.name, entry.name.begin());
    table.push_back(entry);
    offset = aligned(offset + section.bytes.size());
  }
  return table;
}

void put(std::ofstream& stream, std::span<const std::byte> bytes) {
  stream.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

bool write_all(const fs::path& path, std::span<const Section> sections) {
  const std::vector<Entry> table = make_table(sections);
  const auto table_bytes = std::as_bytes(std::span(table));
  Header header{.magic = {},
                .version = kVersion,
                .count = static_cast<uint32_t>(table.size()),
                .file_size = sizeof(Header) + table_bytes.size(),
                .table_hash = hash_of(table_bytes)};
  std::ranges::copy(kMagic, header.magic.begin());
  if (!table.empty()) header.file_size = table.back().offset + table.back().size;
  std::ofstream stream(path, std::ios::binary);
  put(stream, std::as_bytes(std::span(&header, 1)));
  put(stream, table_bytes);
  uint64_t at = sizeof(Header) + table_bytes.size();
  static constexpr std::array<std::byte, kSectionAlignment> kZeros{};
  for (size_t i = 0; i < table.size(); ++i) {
    put(stream, std::span(kZeros).first(table[i].offset - at));
    put(stream, sections[i].bytes);
    at = table[i].offset + table[i].size;
  }
  stream.close();
  return static_cast<bool>(stream);
}

Result<std::vector<Entry>> read_table(std::span<const std::byte> file) {
  Header header;
  if (file.size() < sizeof header) return bad_program("it is too short");
  std::memcpy(&header, file.data(), sizeof header);
  if (std::string_view(header.magic.data(), header.magic.size()) != kMagic) {
    return bad_program("it is some other kind of file");
  }
  if (header.version != kVersion) {
    return bad_program("its format has version " + std::to_string(header.version) + ", not " +
                       std::to_string(kVersion));
  }
  if (header.file_size != file.size()) return bad_program("its size is wrong");
  const uint64_t room = (file.size() - sizeof header) / sizeof(Entry);
  if (header.count > room) return bad_program("its table is cut off");
  std::vector<Entry> table(header.count);
  const auto bytes = std::as_writable_bytes(std::span(table));
  std::memcpy(bytes.data(), file.data() + sizeof header, bytes.size());
  if (hash_of(bytes) != header.table_hash) return bad_program("its table is damaged");
  return table;
}

bool is_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

Diagnostic bad_program(std::string reason) { return diagnose(BadProgram{std::move(reason)}); }

Status write_sections(const std::string& path, std::span<const Section> sections) {
  const fs::path temporary = path + "." + std::to_string(::getpid()) + ".part";
  std::error_code error;
  if (write_all(temporary, sections)) {
    fs::rename(temporary, path, error);
    if (!error) return success();
  }
  fs::remove(temporary, error);
  return diagnose(CannotWrite{path});
}

Result<std::vector<Section>> read_sections(std::span<const std::byte> file) {
  NFX_ASSIGN(const std::vector<Entry> table, read_table(file));
  std::vector<Section> sections;
  uint64_t end = sizeof(Header) + table.size() * sizeof(Entry);
  for (const Entry& entry : table) {
    const uint64_t start = aligned(end);
    if (entry.offset != start || start > file.size() || entry.size > file.size() - start) {
      return bad_program("a section lies outside of it");
    }
    if (entry.name.back() != '\0') return bad_program("a section has no proper name");
    if (!is_zero(file.subspan(end, start - end))) return bad_program("bytes between sections");
    sections.push_back({entry.name.data(), file.subspan(start, entry.size)});
    end = start + entry.size;
  }
  if (end != file.size()) return bad_program("bytes behind its sections");
  return sections;
}

Status check_sections(std::span<const std::byte> file, std::string_view prefix, int threads) {
  NFX_ASSIGN(const std::vector<Section> sections, read_sections(file));
  NFX_ASSIGN(const std::vector<Entry> table, read_table(file));
  std::vector<uint8_t> wrong(table.size(), 0);
  const auto check = [&](int64_t i) {
    const auto at = static_cast<size_t>(i);
    if (!sections[at].name.starts_with(prefix)) return;
    wrong[at] = hash_of(sections[at].bytes) != table[at].hash ? 1 : 0;
  };
  const auto count = static_cast<int64_t>(table.size());
  ThreadPool::process().parallel_for(count, threads, check);
  const auto found = std::ranges::find(wrong, 1);
  if (found == wrong.end()) return success();
  const auto index = static_cast<size_t>(found - wrong.begin());
  return bad_program("section `" + sections[index].name + "` is damaged");
}

}  // namespace nfx
