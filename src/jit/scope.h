// What an emitter knows at one level of the loop nest.
#pragma once
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instruction.h>

#include "jit/lanes.h"

namespace nfx::jit {

using Values = llvm::SmallVector<llvm::Value*, 8>;

// What a lane loop handles at once: `parts` vectors of `width` positions, the
// position of lane l of part p being base + p*width + l.
struct LaneValue {
  enum class Kind : uint8_t {
    kUniform,  // one scalar for all lanes
    kAffine,   // int64: parts[0] + lane * stride
    kVector,   // one vector a part
  };
  Kind kind = Kind::kUniform;
  int level = 0;  // the scope that holds it
  llvm::Value* stride = nullptr;
  llvm::SmallVector<llvm::Value*, 4> parts;

  bool uniform() const { return kind == Kind::kUniform; }
  llvm::Value* scalar() const { return parts[0]; }
};

struct Range {
  llvm::Value* begin = nullptr;
  llvm::Value* end = nullptr;
  llvm::Value* count = nullptr;  // end - begin, a constant where it is known
};

struct Scope {
  llvm::Instruction* at = nullptr;  // new code of this scope goes before it
  bool certain = true;              // runs whenever its parent does
  bool holds_state = false;         // inside a monoid: loads belong to the parent
  Lanes lanes;
  Values masks = {};     // one a part: the lanes that count; empty: all
  bool guarded = false;  // the masks may be empty of lanes: a store's guard
  llvm::ArrayRef<LaneValue> state = {};
  llvm::ArrayRef<LaneValue> other = {};
  llvm::DenseMap<ExprId, LaneValue> memo{};
  llvm::DenseMap<DimId, Range> ranges{};  // of ragged dimensions
};

}  // namespace nfx::jit
