#include "passes/pass.h"

#include <map>

namespace nfx {
namespace {

std::map<std::string_view, Pass>& registry() {
  static std::map<std::string_view, Pass> passes;
  return passes;
}

}  // namespace

bool register_pass(const Pass& pass) { return registry().emplace(pass.name, pass).second; }

const Pass* find_pass(std::string_view name) {
  const auto it = registry().find(name);
  return it == registry().end() ? nullptr : &it->second;
}

std::vector<const Pass*> all_passes() {
  std::vector<const Pass*> passes;
  for (const auto& [name, pass] : registry()) passes.push_back(&pass);
  return passes;
}

}  // namespace nfx
