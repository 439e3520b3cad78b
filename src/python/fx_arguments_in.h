// Arguments of Python calls as interned structures. Every kind that torch.fx
// allows has its ArgKind; anything else is held as an opaque object.
#pragma once
#include <nanobind/nanobind.h>

#include <array>
#include <span>
#include <vector>

#include "ir/context.h"
#include "python/py_symbols.h"
#include "python/torch_objects.h"

namespace nfx::python {

// Knows the objects that stand for nodes.
class OperandSource {
 public:
  virtual ~OperandSource() = default;
  virtual NodeId find(PyObject* node) = 0;  // throws for a node that is not in the graph
};

class ArgumentReader {
 public:
  // Objects of `node_type` are operands, which `nodes` finds.
  ArgumentReader(Context& context, PyTypeObject* node_type, OperandSource& nodes);

  // The structure of a call; its operands are in operands() until the next one.
  ArgId read_call(PyObject* args, PyObject* kwargs);
  std::span<const NodeId> operands() const { return operands_; }
  SymbolReader& symbols() { return symbols_; }

 private:
  ArgId read(PyObject* object);
  ArgId read_constant(PyObject* object, ArgKind kind);
  ArgId read_container(PyObject* object, ArgKind kind);
  ArgId read_other(PyObject* object);
  ArgId read_integer(PyObject* object);
  ArgId opaque(PyObject* object);
  ArgId read_operand(PyObject* node) {
    operands_.push_back(nodes_.find(node));
    return context_.hole();
  }
  // What was pushed onto stack_ since `base`, as one structure.
  ArgId close(size_t base, Arg structure);

  Context& context_;
  PyTypeObject* node_type_;
  OperandSource& nodes_;
  const TorchObjects& torch_;
  SymbolReader symbols_;
  DeviceNames devices_;
  ArgId no_keywords_;
  static constexpr int64_t kSmallest = -8;
  std::array<ArgId, 256> small_{};  // integers from kSmallest on, once met
  std::vector<NodeId> operands_;
  std::vector<ArgId> stack_;           // children of the containers that are open
  std::vector<ArgId> calls_of_nodes_;  // by number: a call of that many nodes alone
};

}  // namespace nfx::python
