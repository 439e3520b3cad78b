// Recording of what plans do: the native part of `nativefx.profile`.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "python/bindings.h"
#include "runtime/profile.h"

namespace nfx::python {
namespace {

namespace nb = nanobind;

nb::list recorded_events() {
  nb::list events;
  for (const ProfileEvent& event : stop_profile()) {
    nb::dict made;
    made["name"] = event.name;
    made["op"] = event.op;
    made["category"] = std::string(event.category);
    made["plan"] = reinterpret_cast<uintptr_t>(event.plan);
    made["start"] = event.start;
    made["end"] = event.end;
    made["thread"] = event.thread;
    events.append(made);
  }
  return events;
}

}  // namespace

void bind_profile(nb::module_& m) {
  m.def("start_profile", &start_profile,
        "Record what plans do from now on. False if somebody records already.");
  m.def("stop_profile", &recorded_events,
        "Stop recording. Gives a list of dicts; times are nanoseconds.");
}

}  // namespace nfx::python
