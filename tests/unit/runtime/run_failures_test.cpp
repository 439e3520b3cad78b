// Runs that fail before PyTorch is asked: there is none here.
#include <gtest/gtest.h>

#include "ir/context.h"
#include "runtime/execute_step.h"
#include "runtime/executor.h"

namespace nfx {
namespace {

// A program that gives `numerator // n` from the number n.
NumberProgram quotient(Context& context, NumberId n, NumberId to, int64_t numerator) {
  const SymExprId symbol = sym_symbol(context, "n");
  const SymExprId result = sym_floordiv(context, sym_int(context, numerator), symbol);
  Result<SymProgram> program = SymProgram::compile(context, {&symbol, 1}, {&result, 1});
  EXPECT_TRUE(program) << program.error().str();
  return {std::move(*program), {n}, {to}};
}

// A plan with the numbers n (0) and a result (1), and one arena slot of result bytes.
struct SmallPlan {
  SmallPlan() {
    plan.numbers = {1, 0};
    plan.input_symbols = {0};
    plan.program = quotient(context, 0, 1, int64_t{1} << 60);
    plan.slots.push_back({.kind = SlotKind::kArena, .bytes = 1});
    plan.arena.push_back({.slot = 0});
    plan.inputs.push_back({.kind = PlanInput::Kind::kInt, .number = 0, .name = "n"});
  }
  Context context;
  Plan plan;
};

TEST(RunFailures, SizesThatDivideByZero) {
  SmallPlan small;
  Frame frame(small.plan);
  frame.numbers[0] = 0;
  const Status status = frame.lay_out();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "bad-sizes");
  EXPECT_FALSE(frame.is_laid_out);
}

TEST(RunFailures, MoreMemoryThanThereIs) {
  SmallPlan small;
  Frame frame(small.plan);
  ASSERT_TRUE(frame.lay_out());
  const Status status = frame.take_arena();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "no-memory");
  frame.numbers[0] = int64_t{1} << 50;  // the frame still serves smaller inputs
  ASSERT_TRUE(frame.lay_out());
  EXPECT_TRUE(frame.take_arena());
  EXPECT_NE(frame.data[0], nullptr);
}

TEST(RunFailures, ComputedSizesThatDivideByZero) {
  SmallPlan small;
  small.plan.binds.push_back({.program = quotient(small.context, 0, 1, 8)});
  Frame frame(small.plan);
  EXPECT_TRUE(execute_step(frame, {StepKind::kBind, 0}));
  EXPECT_EQ(frame.numbers[1], 8);
  frame.numbers[0] = 0;
  const Status status = execute_step(frame, {StepKind::kBind, 0});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "bad-dependent-sizes");
}

TEST(RunFailures, InputsThatAreNotThere) {
  SmallPlan small;
  Frame frame(small.plan);
  Status status = run_plan(frame, {}, {});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "wrong-input");
  small.plan.slots.push_back({.kind = SlotKind::kInput});
  small.plan.inputs[0] = {.kind = PlanInput::Kind::kTensor, .slot = 1, .name = "x"};
  RunInput nothing;
  Frame second(small.plan);
  status = run_plan(second, {&nothing, 1}, {});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "wrong-input");
}

TEST(Frames, AreKeptForTheNextRun) {
  SmallPlan small;
  FramePool pool(small.plan);
  std::unique_ptr<Frame> first = pool.take();
  std::unique_ptr<Frame> second = pool.take();
  EXPECT_NE(first.get(), second.get());
  Frame* const kept = first.get();
  pool.give_back(std::move(first));
  EXPECT_EQ(pool.take().get(), kept);
}

}  // namespace
}  // namespace nfx
