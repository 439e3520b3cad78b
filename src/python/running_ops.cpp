#include "python/running_ops.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "ops/op_table.h"
#include "python/callable_name.h"

namespace nfx::python {
namespace {

bool has_tag(nb::handle overload, const char* tag) {
  const nb::object wanted = nb::module_::import_("torch").attr("Tag").attr(tag);
  const nb::object tags = overload.attr("tags");
  return nb::cast<bool>(tags.attr("__contains__")(wanted));
}

// A table of one op, or of none if Python knows no such operator overload.
std::unique_ptr<SchemaOpTable> look_up(std::string_view name) {
  const nb::object overload = resolve_callable(name);
  if (!overload.is_valid() || !nb::hasattr(overload, "_overloadname")) return nullptr;
  const std::string schema = nb::cast<std::string>(nb::str(nb::object(overload.attr("_schema"))));
  auto table = std::make_unique<SchemaOpTable>(std::vector<std::string>{schema});
  const OpInfo* info = table->find(name);
  if (info == nullptr) return nullptr;
  if (has_tag(overload, "nondeterministic_seeded")) table->set_traits(name, {Trait::kRandom});
  const bool gives_nothing = info->schema->results.empty() && !info->schema->writes();
  if (gives_nothing) table->set_traits(name, {Trait::kEffect});
  return table;
}

class RunningOps final : public OpTable {
 public:
  const OpInfo* find(std::string_view name) const override {
    {
      const std::lock_guard lock(mutex_);
      if (const auto it = known_.find(name); it != known_.end()) return it->second->find(name);
    }
    // Not under the mutex: Python may let another thread in, which may ask too.
    const nb::gil_scoped_acquire python;
    std::unique_ptr<SchemaOpTable> found;
    try {
      found = look_up(name);
    } catch (const nb::python_error&) {  // no such operator
    }
    if (found == nullptr) return nullptr;
    const std::lock_guard lock(mutex_);
    const auto [it, added] = known_.try_emplace(std::string(name), std::move(found));
    return it->second->find(name);
  }

 private:
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::unique_ptr<SchemaOpTable>, std::less<>> known_;
};

}  // namespace

const OpTable& running_ops() {
  static const auto* const ops = new RunningOps;
  return *ops;
}

}  // namespace nfx::python
