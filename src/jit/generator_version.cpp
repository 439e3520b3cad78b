#include "jit/generator_version.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstring>

#include <llvm/Config/llvm-config.h>

namespace nfx::jit {
namespace {

struct Search {
  uintptr_t address;  // in the object that is looked for
  std::string id;
};

size_t aligned(size_t size) { return (size + 3) / 4 * 4; }

std::string hexadecimal(const unsigned char* bytes, size_t size) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < size; ++i) text += {kDigits[bytes[i] >> 4], kDigits[bytes[i] & 15]};
  return text;
}

// The description of the note of type NT_GNU_BUILD_ID.
std::string build_id_of(const unsigned char* notes, size_t size) {
  for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes + at, sizeof note);
    const size_t name = at + sizeof note;
    const size_t description = name + aligned(note.n_namesz);
    if (description + note.n_descsz > size) break;
    const bool gnu =
        note.n_namesz == sizeof "GNU" && std::memcmp(notes + name, "GNU", sizeof "GNU") == 0;
    if (gnu && note.n_type == NT_GNU_BUILD_ID) {
      return hexadecimal(notes + description, note.n_descsz);
    }
    at = description + aligned(note.n_descsz);
  }
  return {};
}

bool holds(const dl_phdr_info& object, uintptr_t address) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object.dlpi_phdr[i];
    const uintptr_t start = object.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && address - start < part.p_memsz) return true;
  }
  return false;
}

int look_at(dl_phdr_info* object, size_t, void* context) {
  auto& search = *static_cast<Search*>(context);
  if (!holds(*object, search.address)) return 0;
  for (int i = 0; i < object->dlpi_phnum && search.id.empty(); ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    const auto* notes = reinterpret_cast<const unsigned char*>(object->dlpi_addr + part.p_vaddr);
    search.id = build_id_of(notes, part.p_memsz);
  }
  return 1;
}

std::string size_and_time(const void* address) {
  Dl_info info;
  struct stat file;
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr ||
      stat(info.dli_fname, &file) != 0) {
    return "unknown";
  }
  return std::to_string(file.st_size) + " " + std::to_string(file.st_mtim.tv_sec) + "." +
         std::to_string(file.st_mtim.tv_nsec);
}

}  // namespace

std::string generator_version() {
  const auto* here = reinterpret_cast<const void*>(&generator_version);
  Search search{reinterpret_cast<uintptr_t>(here), {}};
  dl_iterate_phdr(look_at, &search);
  return "llvm " LLVM_VERSION_STRING " " + (search.id.empty() ? size_and_time(here) : search.id);
}

}  // namespace nfx::jit
