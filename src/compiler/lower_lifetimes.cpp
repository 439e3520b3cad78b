#include <algorithm>

#include "compiler/plan_lowering.h"

namespace nfx {

// Of several outputs of one slot the last takes the tensor itself.
void PlanLowering::hand_over_outputs() {
  std::vector<bool> taken(plan_->slots.size(), false);
  for (size_t i = plan_->outputs.size(); i-- > 0;) {
    PlanOutput& output = plan_->outputs[i];
    if (output.kind != PlanOutput::Kind::kTensor) continue;
    const SlotId slot = output.source;
    last_use_[slot] = static_cast<uint32_t>(plan_->steps.size());  // it is freed by being given
    if (plan_->slots[slot].kind == SlotKind::kInput) {
      const auto input = std::ranges::find(plan_->inputs, slot, &PlanInput::slot);
      output = {PlanOutput::Kind::kInput, static_cast<uint32_t>(input - plan_->inputs.begin())};
    } else if (!is_kept(*plan_, slot) && !taken[slot]) {
      output.kind = PlanOutput::Kind::kMovedTensor;
      taken[slot] = true;
    }
  }
}

// The last step that needs each slot's memory or handle.
std::vector<uint32_t> PlanLowering::last_uses() const {
  std::vector<uint32_t> last = last_use_;
  // A slot is made after those whose memory it holds.
  for (size_t slot = last.size(); slot-- > 0;) {
    if (last[slot] == kNoIndex) continue;
    for (const SlotId shared : may_share_[slot]) {
      if (plan_->slots[shared].kind != SlotKind::kArena) continue;
      last[shared] = std::max(last[shared] == kNoIndex ? 0 : last[shared], last[slot]);
    }
  }
  return last;
}

void PlanLowering::place_frees() {
  const std::vector<uint32_t> last = last_uses();
  const size_t count = plan_->steps.size();
  std::vector<std::vector<SlotId>> dying(count);
  for (SlotId slot = 0; slot < plan_->slots.size(); ++slot) {
    const SlotKind kind = plan_->slots[slot].kind;
    if (kind == SlotKind::kConstant || kind == SlotKind::kArena) continue;
    if (kind == SlotKind::kInput && plan_->slots[slot].mutated) continue;  // written back to
    if (is_kept(*plan_, slot) || last[slot] == kNoIndex || last[slot] >= count) continue;
    dying[last[slot]].push_back(slot);
  }
  std::vector<uint32_t> moved_to(count);
  std::vector<Step> steps;
  for (size_t i = 0; i < count; ++i) {
    moved_to[i] = static_cast<uint32_t>(steps.size());
    steps.push_back(plan_->steps[i]);
    for (const SlotId slot : dying[i]) steps.push_back({StepKind::kFree, slot});
  }
  plan_->steps = std::move(steps);
  for (ArenaBuffer& buffer : plan_->arena) {
    const SlotId slot = buffer.slot;
    buffer.first = moved_to[first_use_[slot]];
    buffer.last = moved_to[std::min<size_t>(last[slot], count - 1)];
  }
}

}  // namespace nfx
