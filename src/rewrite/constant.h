// Tensors that hold one number everywhere: `full`, `zeros`, `scalar_tensor`, and
// what is computed from them.
#pragma once
#include <functional>
#include <optional>

#include "ir/graph.h"

namespace nfx {

struct Constant {
  Dtype dtype = Dtype::kFloat32;
  uint64_t bits = 0;  // of a double for floats, of an int64 otherwise
  friend bool operator==(const Constant&, const Constant&) = default;
};

// To the bit: a constant -0.0 is not the number 0.
bool is_number(const Constant& constant, double number);

// What an operand holds everywhere, if that is known.
using OperandConstant = std::function<std::optional<Constant>(Node)>;

// The number that `node` holds everywhere by the element rule of its row.
// Nothing if that depends on the position or on an operand that is not known,
// or if it could differ from what a compiled kernel computes (a function of the
// mathematical library, arithmetic of 16-bit floats).
std::optional<Constant> constant_of(Node node, const OperandConstant& operands = {});

// As an argument of an op: bool, int or float. Nothing for an uint64 that no int holds.
std::optional<ArgId> constant_argument(Context& context, const Constant& constant);

}  // namespace nfx
