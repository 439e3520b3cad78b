#include "runtime/frame.h"

#include <memory>

#include "runtime/memory_plan.h"
#include "runtime/memory_pool.h"

namespace nfx {
namespace {

struct BadSizes {
  static constexpr std::string_view kCode = "bad-sizes";
  std::string message() const {
    return "sizes that follow from the inputs overflow or divide by 0";
  }
  std::string help() const { return "the same call in eager mode fails as well"; }
};
NFX_DIAGNOSTIC(BadSizes);

struct NoMemory {
  static constexpr std::string_view kCode = "no-memory";
  int64_t bytes;
  std::string message() const {
    return "no memory for " + std::to_string(bytes) + " bytes of intermediates";
  }
  std::string help() const { return "run smaller inputs, or free memory"; }
};
NFX_DIAGNOSTIC(NoMemory);

bool owns_handle(SlotKind kind) { return kind != SlotKind::kInput && kind != SlotKind::kConstant; }

}  // namespace

bool is_kept(const Plan& plan, SlotId slot) {
  const Slot& it = plan.slots[slot];
  const SlotKind root = it.kind == SlotKind::kView ? plan.slots[it.base].kind : it.kind;
  return root == SlotKind::kArena || root == SlotKind::kConstant;
}

Frame::Frame(const Plan& p)
    : plan(p),
      numbers(p.numbers),
      handles(p.slots.size(), nullptr),
      data(p.slots.size(), nullptr),
      input_owners(p.slots.size()),
      args(p.args),
      tensor_items(p.tensor_items),
      int_items(p.int_items),
      float_items(p.float_items),
      bool_items(p.bool_items),
      results(p.max_results),
      kernel_buffers(p.max_kernel_buffers),
      kernel_scalars(p.max_kernel_scalars),
      known_symbols(p.input_symbols.size(), 0) {
  for (const ListArg& list : plan.lists) {
    const void* items = nullptr;
    switch (list.kind) {
      case AtenArgKind::kTensorList: items = tensor_items.data() + list.first; break;
      case AtenArgKind::kFloatList: items = float_items.data() + list.first; break;
      case AtenArgKind::kBoolList: items = bool_items.data() + list.first; break;
      default: items = int_items.data() + list.first; break;
    }
    args[list.arg].sequence.data = items;
  }
  for (SlotId slot = 0; slot < plan.slots.size(); ++slot) {
    if (plan.slots[slot].kind != SlotKind::kConstant) continue;
    handles[slot] = plan.constants[plan.slots[slot].constant].get();
    data[slot] = static_cast<std::byte*>(AtenView(handles[slot]).data());
  }
}

Frame::~Frame() {
  for (SlotId slot = 0; slot < handles.size(); ++slot) {
    if (owns_handle(plan.slots[slot].kind)) AtenTensor(std::exchange(handles[slot], nullptr));
  }
}

Status Frame::lay_out() {
  is_laid_out = false;
  if (!plan.program.run(numbers, scratch)) return diagnose(BadSizes{});
  for (size_t i = 0; i < plan.input_symbols.size(); ++i) {
    known_symbols[i] = numbers[plan.input_symbols[i]];
  }
  std::vector<BufferLife> lives;
  lives.reserve(plan.arena.size());
  for (const ArenaBuffer& buffer : plan.arena) {
    lives.push_back({numbers[plan.slots[buffer.slot].bytes], buffer.first, buffer.last});
  }
  MemoryPlan memory = plan_memory(lives);
  arena_offsets = std::move(memory.offsets);
  arena_bytes = memory.bytes;
  arena_ = nullptr;
  drop_kept_handles();  // they have the old shapes
  is_laid_out = true;
  return success();
}

void Frame::drop_kept_handles() {
  for (SlotId slot = 0; slot < plan.slots.size(); ++slot) {
    if (!owns_handle(plan.slots[slot].kind) || !is_kept(plan, slot)) continue;
    AtenTensor(std::exchange(handles[slot], nullptr));
  }
}

void Frame::place_arena(std::byte* arena) {
  if (arena == arena_) return;
  drop_kept_handles();
  arena_ = arena;
  for (size_t i = 0; i < plan.arena.size(); ++i) {
    data[plan.arena[i].slot] = arena + arena_offsets[i];
  }
}

Status Frame::take_arena() {
  if (plan.arena.empty()) return success();
  if (arena_bytes >= MemoryPool::kSmallest) {
    std::byte* arena = MemoryPool::process().take(arena_bytes);
    if (arena == nullptr) return diagnose(NoMemory{arena_bytes});
    has_pooled_arena_ = true;
    place_arena(arena);
  } else if (arena_ == nullptr) {
    small_arena_.resize(static_cast<size_t>(arena_bytes + kBufferAlignment));
    void* start = small_arena_.data();
    size_t room = small_arena_.size();
    place_arena(static_cast<std::byte*>(
        std::align(kBufferAlignment, static_cast<size_t>(arena_bytes), start, room)));
  }
  return success();
}

void Frame::give_arena_back() {
  if (!std::exchange(has_pooled_arena_, false)) return;
  MemoryPool::process().give_back(arena_);
}

void Frame::drop_inputs() {
  for (const PlanInput& input : plan.inputs) {
    if (input.kind == PlanInput::Kind::kTensor) input_owners[input.slot].reset();
  }
  relaid.clear();
}

void Frame::drop_transient() {
  for (SlotId slot = 0; slot < handles.size(); ++slot) {
    const SlotKind kind = plan.slots[slot].kind;
    if (kind == SlotKind::kInput) handles[slot] = nullptr;
    if (!owns_handle(kind) || is_kept(plan, slot)) continue;
    AtenTensor(std::exchange(handles[slot], nullptr));
  }
  drop_inputs();
}

std::unique_ptr<Frame> FramePool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Frame> frame = std::move(idle_.back());
      idle_.pop_back();
      return frame;
    }
  }
  return std::make_unique<Frame>(plan_);
}

void FramePool::give_back(std::unique_ptr<Frame> frame) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(frame));
}

}  // namespace nfx
