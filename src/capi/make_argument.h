// Arguments that a caller describes, as structures of the IR.
#pragma once
#include <string>
#include <vector>

#include "capi/handles.h"

namespace nfx::capi {

class ArgumentMaker {
 public:
  explicit ArgumentMaker(const Graph& graph) : graph_(graph), context_(graph.context()) {}

  // Errors: `bad-argument-value`, with the kind and what is wrong with it.
  Result<ArgId> make(const nfx_value& value, int depth = 0);
  // The structure of a call; its operands are in operands().
  Result<ArgId> call(const nfx_node_spec& spec);
  const std::vector<Node>& operands() const { return operands_; }

 private:
  Result<ArgId> constant(const nfx_value& value);
  Result<ArgId> container(const nfx_value& value, int depth);

  const Graph& graph_;
  Context& context_;
  std::vector<Node> operands_;
};

}  // namespace nfx::capi
