// Sizes, strides, offsets and scalars as numbers of a run.
//
// A symbol becomes known in a phase: phase 0 with the inputs, later ones after a
// step whose result holds it. An expression is computed in the phase of the last
// of its symbols. The programs are made at the end, from all that was asked for.
#pragma once
#include <unordered_map>
#include <vector>

#include "ir/context.h"
#include "runtime/plan.h"

namespace nfx {

class NumberTable {
 public:
  explicit NumberTable(Context& context) : context_(context) {}

  NumberId constant(int64_t value);
  // A number without an expression: an input or a result that is only passed on.
  NumberId fresh();

  // Makes an expression known in the current phase and gives the place of its
  // value; kNoIndex if it is a constant or known already.
  NumberId define(SymExprId expr);
  void next_phase() { ++phase_; }
  void cancel_phase() { --phase_; }  // one in which nothing became known
  uint32_t phase() const { return phase_; }

  // Whether its symbols are known by now.
  bool is_known(SymExprId expr) const;
  uint32_t phase_of(SymExprId expr) const;

  // The number of an expression that is known by now.
  NumberId number(SymExprId expr);
  // Numbers in a row: sizes, then strides. Always new ones.
  NumberId shape(std::span<const SymExprId> sizes, std::span<const SymExprId> strides);

  // Initial values, and the program of a phase.
  const std::vector<int64_t>& values() const { return values_; }
  Result<NumberProgram> program(uint32_t phase) const;
  std::vector<NumberId> symbols_of_phase(uint32_t phase) const;

 private:
  struct Known {
    SymExprId expr;
    NumberId number;
    uint32_t phase;
  };
  struct Request {
    SymExprId expr;
    NumberId number;
    uint32_t phase;
  };
  void request(SymExprId expr, NumberId number);

  Context& context_;
  uint32_t phase_ = 0;
  std::vector<int64_t> values_;
  std::vector<Known> known_;
  std::unordered_map<SymExprId, uint32_t> known_index_;
  std::vector<Request> requests_;
  std::unordered_map<SymExprId, NumberId> numbers_;
  std::unordered_map<int64_t, NumberId> constants_;
};

}  // namespace nfx
