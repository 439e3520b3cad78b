// What the layers below the op table may know of an op. The table itself is in
// src/ops; a Context asks it through OpTable.
#pragma once
#include <cstdint>
#include <string_view>

#include "ir/schema.h"

namespace nfx {

enum class Trait : uint32_t {
  kPure = 1u << 0,  // no effect beyond its result; may be removed, merged, moved
  kPointwise =
      1u << 1,  // element i of the result depends on elements i of the inputs (after broadcasting)
  kView = 1u << 2,     // result shares the memory of input 0
  kReshape = 1u << 3,  // keeps elements and their order
  kReduction = 1u << 4,
  kGather = 1u << 5,     // reads one input at positions given by another
  kScatter = 1u << 6,    // writes at positions given by an input
  kRandom = 1u << 7,     // draws from a generator
  kMutates = 1u << 8,    // writes to an argument; the schema says which
  kComposite = 1u << 9,  // can be expanded natively into simpler ops
  kFactory = 1u << 10,   // makes a tensor from no tensor
  kCommutative = 1u << 11,
  kContraction = 1u << 12,  // matrix products
  kMayAlias = 1u << 13,     // result may share an input's memory (reshape, contiguous)
  kEffect = 1u << 14,       // assertion, print, token: keep it and its order
};

struct OpInfo {
  std::string_view name;  // "aten.add.Tensor"
  uint32_t traits = 0;
  const Schema* schema = nullptr;  // null if unknown

  bool has(Trait trait) const { return (traits & static_cast<uint32_t>(trait)) != 0; }
};

// Looks ops up by name. An implementation gives stable pointers.
class OpTable {
 public:
  virtual ~OpTable() = default;
  virtual const OpInfo* find(std::string_view name) const = 0;
};

}  // namespace nfx
