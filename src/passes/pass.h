// A pass is a plain function on a graph, registered by name:
//
//   Changed merge_views(Graph& graph);
//   NFX_PASS(merge_views, "replace a chain of views by one");
#pragma once
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "support/result.h"

namespace nfx {

enum class Changed : uint8_t { kNo, kYes };

inline Changed operator|(Changed a, Changed b) { return a == Changed::kYes ? a : b; }
inline Changed& operator|=(Changed& a, Changed b) { return a = a | b; }

struct Pass {
  std::string_view name;
  std::string_view summary;
  Changed (*run)(Graph&);
};

// Null if there is no pass of that name.
const Pass* find_pass(std::string_view name);
std::vector<const Pass*> all_passes();  // by name
bool register_pass(const Pass& pass);

}  // namespace nfx

#define NFX_PASS(function, summary)                                                \
  [[maybe_unused]] static const bool registered_##function = ::nfx::register_pass( \
      {#function, summary, static_cast<::nfx::Changed (*)(::nfx::Graph&)>(&function)})
