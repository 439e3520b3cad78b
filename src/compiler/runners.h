// Who runs each node.
#pragma once
#include <optional>
#include <vector>

#include "compiler/compile.h"
#include "compiler/values.h"
#include "loop/fuse.h"

namespace nfx {

struct NodeRunner {
  Runner runner = Runner::kNothing;
  int32_t kernel = -1;
  std::string reason;
  std::optional<AtenCall> call;  // kAten; kPython if the target has a schema
};

struct Runners {
  std::vector<NodeRunner> nodes;  // by NodeId
  const NodeRunner& of(Node node) const { return nodes[node.id().value]; }
  NodeRunner& of(Node node) { return nodes[node.id().value]; }
};

// `fusion` is null where no kernels are wanted. Kernels come first, then views
// and numbers, then PyTorch's C ABI, last the interpreter.
Runners choose_runners(const Graph& graph, const Fusion* fusion, const CompileHooks& hooks);

// Whether every value of the node is memory of its operand 0 under another
// shape, as far as its type tells: a plain strided tensor of the same real dtype.
bool is_memory_view(Node node);

// A node that gives a number by an expression over numbers that are known.
bool is_number(Node node);

}  // namespace nfx
