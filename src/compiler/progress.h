// A line on the terminal while a compilation takes long.
#pragma once
#include <chrono>
#include <string>

namespace nfx {

// Says nothing until `patience` has passed, nor where the standard error is no terminal
// (unless NATIVEFX_PROGRESS is set to something other than 0). Takes its line away
// when it ends.
class Progress {
 public:
  explicit Progress(std::string name, std::chrono::milliseconds patience = std::chrono::seconds(2));
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // So many of so many kernels have their code.
  void kernels(size_t done, size_t all);

 private:
  std::string name_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::milliseconds patience_;
  bool wanted_;
  bool written_ = false;
};

}  // namespace nfx
