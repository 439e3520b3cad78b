#include "compiler/progress.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace nfx {
namespace {

bool is_wanted() {
  const char* asked = std::getenv("NATIVEFX_PROGRESS");
  if (asked != nullptr) return std::string_view(asked) != "0";
  return ::isatty(STDERR_FILENO) != 0;
}

}  // namespace

Progress::Progress(std::string name, std::chrono::milliseconds patience)
    : name_(std::move(name)),
      start_(std::chrono::steady_clock::now()),
      patience_(patience),
      wanted_(is_wanted()) {}

Progress::~Progress() {
  if (written_) std::fputs("\r\033[K", stderr);
}

void Progress::kernels(size_t done, size_t all) {
  if (!wanted_) return;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
  if (took < patience_) return;
  written_ = true;
  std::fprintf(stderr, "\r\033[Knativefx: %s: %zu of %zu kernels, %.1f s", name_.c_str(), done, all,
               took.count());
  std::fflush(stderr);
}

}  // namespace nfx
