// Times of plans and their steps, while somebody records them.
//
// Off, it costs a run one relaxed load. On, each step is also a range of PyTorch's
// profiler, if that is active.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/plan.h"

namespace nfx {

struct ProfileEvent {
  std::string name;  // of the node or the kernel
  std::string op;    // what ran: "aten::linear", empty for a kernel
  std::string_view category;
  const Plan* plan = nullptr;
  int64_t start = 0, end = 0;  // nanoseconds of the monotonic clock
  int64_t thread = 0;
};

// One recording at a time, over all threads. False if there is one already.
bool start_profile();
// Its events so far, in the order in which they ended.
std::vector<ProfileEvent> stop_profile();

extern std::atomic<bool> profile_is_on;
inline bool is_profiling() { return profile_is_on.load(std::memory_order_relaxed); }

// What a step is called: "kernel", "aten", ... and its name.
ProfileEvent step_event(const Plan& plan, const Step& step);

// Records from its construction to its destruction.
class ProfileScope {
 public:
  explicit ProfileScope(ProfileEvent event);
  ~ProfileScope();
  ProfileScope(const ProfileScope&) = delete;
  ProfileScope& operator=(const ProfileScope&) = delete;

 private:
  ProfileEvent event_;
  void* range_ = nullptr;  // of PyTorch's profiler
};

}  // namespace nfx
