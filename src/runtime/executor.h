// Runs a plan. Test: tests/unit/runtime/executor_test.cpp
#pragma once
#include <span>

#include "runtime/frame.h"

namespace nfx {

// One input: a borrowed tensor, or a number (a float as its bits). A tensor that
// nobody else needs may come with its owner, which the run frees after the last use.
struct RunInput {
  AtenHandle tensor = nullptr;
  int64_t number = 0;
  AtenTensor owner;
};

// One output, in the form that its PlanOutput says. A tensor is null where the
// result is none (a gradient that nobody needs).
struct RunOutput {
  AtenTensor tensor;
  int64_t number = 0;
};

// Runs on the calling thread, with grad mode off, and without the interpreter
// lock. Tensors given twice as output are given as two owners of one tensor; an
// output that is an input is that tensor.
// Errors: `wrong-input`, `unexpected-shape`, `bad-sizes`, `no-memory`,
// `pytorch-error`, and whatever an external step reports.
Status run_plan(Frame& frame, std::span<RunInput> inputs, std::span<RunOutput> outputs);

}  // namespace nfx
