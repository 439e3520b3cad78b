// Compiled programs on disk: one file of named sections, each with a hash.
//
//   offset    bytes
//   0         16      "nativefx program"
//   16        4       version of the format, 1
//   20        4       number of sections
//   24        8       size of the file
//   32        16      hash of the table
//   48        64 each the table: name (32, zeros behind it), offset, size, hash (16)
//             ...     the sections in that order, each at a multiple of 64; zeros between
//
// Numbers are little-endian, hashes XXH3-128. Nothing of a file is believed before
// it is checked. Test: tests/unit/compiler/section_file_test.cpp
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace nfx {

struct Section {
  std::string name;  // at most 31 bytes
  std::span<const std::byte> bytes;
};

inline constexpr size_t kSectionAlignment = 64;

// Writes under a temporary name, then renames: `path` is the whole file or as before.
// Errors: `cannot-write-program`.
Status write_sections(const std::string& path, std::span<const Section> sections);

// The sections of a file that is in memory (mapped); they point into it. Checks all
// but the contents. Errors: `bad-program`.
Result<std::vector<Section>> read_sections(std::span<const std::byte> file);

// Compares the contents of sections of `file` with their hashes, on up to `threads`
// threads. Only those whose names start with `prefix`. Errors: `bad-program`.
Status check_sections(std::span<const std::byte> file, std::string_view prefix = {},
                      int threads = 1);

// What `read_sections` says of a file that is not as it was written.
Diagnostic bad_program(std::string reason);

}  // namespace nfx
