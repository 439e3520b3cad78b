// Writes what each stage made: `<dir>/<name>.<number>-<stage>.nfx`, and the text
// of the kernels beside it.
#pragma once
#include <string>
#include <string_view>

#include "ir/graph.h"
#include "loop/fuse.h"

namespace nfx {

class StageDump {
 public:
  // An empty folder: nothing is written.
  StageDump(std::string folder, std::string name)
      : folder_(std::move(folder)), name_(std::move(name)) {}

  bool is_on() const { return !folder_.empty(); }
  // Errors: `cannot-dump`.
  Status graph(std::string_view stage, const Graph& graph);
  Status kernels(const Fusion& fusion);

 private:
  Status write(const std::string& file, const std::string& text);

  std::string folder_;
  std::string name_;
  int number_ = 0;
};

}  // namespace nfx
