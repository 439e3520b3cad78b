// The state of one run of a plan. Frames are kept for later runs, with the
// memory, the numbers and the handles that stay valid as long as sizes do.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/plan.h"

namespace nfx {

struct Frame {
  explicit Frame(const Plan& plan);
  ~Frame();
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  const Plan& plan;
  std::vector<int64_t> numbers;
  std::vector<AtenHandle> handles;  // by slot; owned unless the slot is an input or a constant
  std::vector<std::byte*> data;     // by slot: of the first element, if it is needed

  // By slot: owners of inputs that came with them.
  std::vector<AtenTensor> input_owners;

  // Inputs that came in another layout than planned, copied into the planned one.
  struct Relaid {
    SlotId slot;
    AtenHandle original;
    AtenTensor copy;
  };
  std::vector<Relaid> relaid;

  // Copies of the plan's templates, written by each run.
  std::vector<AtenArg> args;
  std::vector<AtenHandle> tensor_items;
  std::vector<int64_t> int_items;
  std::vector<double> float_items;
  std::vector<uint8_t> bool_items;

  // Working space of the steps.
  std::vector<AtenValue> results;
  std::vector<StepValue> step_inputs, step_results;
  std::vector<void*> kernel_buffers;
  std::vector<int64_t> kernel_scalars;
  std::vector<int64_t> scratch;

  std::vector<int64_t> arena_offsets;  // by arena buffer
  int64_t arena_bytes = 0;
  std::vector<int64_t> known_symbols;  // the input symbols that `numbers` belong to
  bool is_laid_out = false;

  // Computes the numbers and the layout of the arena for the input symbols that
  // stand in `numbers`. Errors: `bad-sizes`.
  Status lay_out();

  // Gives the arena memory for a run. A small one stays with the frame, a large
  // one is the pool's between runs, so that all plans share it.
  // Errors: `no-memory`.
  Status take_arena();
  void give_arena_back();

  void drop_inputs();
  // Lets go of what a failed run has left.
  void drop_transient();

 private:
  void place_arena(std::byte* arena);
  void drop_kept_handles();

  std::byte* arena_ = nullptr;  // where handles and data point, also between runs
  bool has_pooled_arena_ = false;
  std::vector<std::byte> small_arena_;
};

// Whether a slot's handle stays valid between runs of one layout.
bool is_kept(const Plan& plan, SlotId slot);

// Hands frames out; as many exist as runs were ever at work at one time.
class FramePool {
 public:
  explicit FramePool(const Plan& plan) : plan_(plan) {}
  std::unique_ptr<Frame> take();
  void give_back(std::unique_ptr<Frame> frame);

 private:
  const Plan& plan_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Frame>> idle_;
};

}  // namespace nfx
