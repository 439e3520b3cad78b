// Writes what each stage made: `<dir>/<name>.<number>-<stage>.nfx`, and the text
// of the kernels beside it.
#pragma once
#include <string>
#include <string_view>

#include "ir/graph.h"
#include "loop/fuse.h"
#include "runtime/plan.h"

namespace nfx {

class StageDump {
 public:
  // An empty folder: nothing is written.
  StageDump(std::string folder, std::string name)
      : folder_(std::move(folder)), name_(std::move(name)) {}

  bool is_on() const { return !folder_.empty(); }
  // Errors: `cannot-dump`.
  Status graph(std::string_view stage, const Graph& graph);
  Status kernels(const Fusion& fusion);  // `<dir>/<name>.kernels`, as `nfx compile` reads it
  Status plan(const Plan& plan);         // `<dir>/<name>.plan`: the steps in order

 private:
  Status write(const std::string& file, const std::string& text);

  std::string folder_;
  std::string name_;
  int number_ = 0;
};

}  // namespace nfx
