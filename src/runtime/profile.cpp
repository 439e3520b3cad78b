#include "runtime/profile.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <mutex>
#include <utility>

#include "runtime/aten_abi.h"

namespace nfx {

std::atomic<bool> profile_is_on = false;

namespace {

struct Recording {
  std::mutex mutex;
  std::vector<ProfileEvent> events;
};

Recording& recording() {
  static auto* const it = new Recording;  // threads may end after everything else
  return *it;
}

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// PyTorch's ranges, if it exports them.
struct Ranges {
  using Start = AtenError (*)(const char* name, void* keywords, const void* inputs, uint64_t count,
                              void** range);
  using End = AtenError (*)(void* range);
  Start start = reinterpret_cast<Start>(aten_abi().symbol("aoti_record_function_start"));
  End end = reinterpret_cast<End>(aten_abi().symbol("aoti_record_function_end"));
};

const Ranges& ranges() {
  static const Ranges found;
  return found;
}

}  // namespace

bool start_profile() {
  const std::lock_guard lock(recording().mutex);
  if (is_profiling()) return false;
  recording().events.clear();
  profile_is_on = true;
  return true;
}

std::vector<ProfileEvent> stop_profile() {
  const std::lock_guard lock(recording().mutex);
  profile_is_on = false;
  return std::exchange(recording().events, {});
}

ProfileEvent step_event(const Plan& plan, const Step& step) {
  ProfileEvent event{.plan = &plan};
  switch (step.kind) {
    case StepKind::kKernel:
      event.category = "kernel";
      event.name = plan.kernels[step.index].name;
      break;
    case StepKind::kAten:
      event.category = "aten";
      event.name = plan.aten[step.index].name;
      event.op = plan.aten[step.index].call.schema().name;
      break;
    case StepKind::kExternal:
      event.category = "external";
      event.name = plan.external[step.index].name;
      break;
    case StepKind::kBind: event = {.name = "sizes", .category = "plan", .plan = &plan}; break;
    default:
      event.category = "memory";
      event.name = plan.slots[step.index].name;
      break;
  }
  return event;
}

ProfileScope::ProfileScope(ProfileEvent event) : event_(std::move(event)) {
  if (ranges().start != nullptr && ranges().end != nullptr) {
    const std::string name = "nativefx::" + event_.name;
    if (ranges().start(name.c_str(), nullptr, nullptr, 0, &range_) != 0) range_ = nullptr;
  }
  event_.start = now();
}

ProfileScope::~ProfileScope() {
  event_.end = now();
  if (range_ != nullptr) ranges().end(range_);
  event_.thread = ::syscall(SYS_gettid);
  const std::lock_guard lock(recording().mutex);
  if (is_profiling()) recording().events.push_back(std::move(event_));
}

}  // namespace nfx
