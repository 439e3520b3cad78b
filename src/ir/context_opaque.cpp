// Opaque objects of a Context: kept alive, numbered, and stood in for.
#include <bit>
#include <cassert>

#include "ir/context_tables.h"

namespace nfx {
namespace {

uint64_t hash_object(void* object) {
  return HashMixer().add(std::bit_cast<uintptr_t>(object)).value();
}

}  // namespace

OpaqueId Context::opaque(void* object) {
  assert(object != nullptr && "an opaque handle needs an object");
  InternTable<OpaqueEntry>& table = tables_->opaques;
  const auto same = [&](const OpaqueEntry& entry) { return entry.object == object; };
  // The owner is asked without a lock, so the reference is taken beforehand and
  // given back if the object was there already.
  if (tables_->owner != nullptr) tables_->owner->retain(object);
  bool added = false;
  const uint32_t id = table.intern(hash_object(object), same, [&](Arena&) {
    added = true;
    return OpaqueEntry{object, table.size(), {}};
  });
  if (!added && tables_->owner != nullptr) tables_->owner->release(object);
  return {id};
}

OpaqueId Context::opaque_stand_in(uint32_t number, std::string_view label) {
  const auto same = [&](const OpaqueEntry& entry) {
    return entry.object == nullptr && entry.number == number && entry.label == label;
  };
  const uint64_t hash = HashMixer().add(number).add(hash_text(label)).value();
  return {tables_->opaques.intern(
      hash, same, [&](Arena& arena) { return OpaqueEntry{nullptr, number, arena.copy(label)}; })};
}

bool Context::has_opaque_owner() const { return tables_->owner != nullptr; }
uint32_t Context::num_opaques() const { return tables_->opaques.size() - 1; }
void* Context::object(OpaqueId id) const { return tables_->opaques[id.value].object; }
uint32_t Context::opaque_number(OpaqueId id) const { return tables_->opaques[id.value].number; }

std::string Context::opaque_label(OpaqueId id) const {
  const OpaqueEntry& entry = tables_->opaques[id.value];
  if (entry.object == nullptr) return std::string(entry.label);
  return tables_->owner != nullptr ? tables_->owner->label(entry.object) : std::string();
}

}  // namespace nfx
