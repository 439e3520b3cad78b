// Hash-consing: equal values get one 32-bit id, and an entry that never moves.
// Id 0 is a default-constructed entry that stands for "none". Looking up what
// is there takes no lock; adding takes one.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "support/arena.h"
#include "support/stable_vector.h"

namespace nfx {

template <class Entry>
class InternTable {
 public:
  InternTable() {
    entries_.emplace_back();
    use_slots(kFirstSlots);
  }

  const Entry& operator[](uint32_t id) const { return entries_[id]; }
  Entry& operator[](uint32_t id) { return entries_[id]; }
  uint32_t size() const { return entries_.size(); }  // ids are below; counts "none"

  // The entry with this hash for which `same(entry)` holds; 0 if there is none.
  template <class Same>
  uint32_t find(uint64_t hash, const Same& same) const {
    return probe(*slots_.load(std::memory_order_acquire), hash, same);
  }

  // Finds, or adds the entry `make(arena)`; what it points to belongs into the
  // arena. `make` runs under the lock of this table.
  template <class Same, class Make>
  uint32_t intern(uint64_t hash, const Same& same, const Make& make) {
    if (const uint32_t id = find(hash, same)) return id;
    const std::lock_guard lock(mutex_);
    if (const uint32_t id = find(hash, same)) return id;  // another thread was faster
    if (2 * uint64_t{entries_.size()} > slots_.load(std::memory_order_relaxed)->mask) grow();
    const uint32_t id = entries_.emplace_back(make(arena_));
    insert(*slots_.load(std::memory_order_relaxed), hash, id);
    hashes_.push_back(hash);
    return id;
  }

  // Makes room for `count` more entries, so that adding them moves nothing.
  void reserve(uint32_t count) {
    const std::lock_guard lock(mutex_);
    const uint64_t wanted = entries_.size() + uint64_t{count};
    const uint64_t present = slots_.load(std::memory_order_relaxed)->mask + 1;
    uint64_t slots = present;
    while (2 * wanted >= slots) slots *= 2;
    if (slots != present) use_slots(slots);
    hashes_.reserve(wanted);
  }

 private:
  static constexpr uint64_t kFirstSlots = 64;
  static constexpr uint64_t kTag = 0xFFFFFFFF00000000u;  // upper half of a hash; below it the id

  struct Slots {
    explicit Slots(uint64_t count)
        : mask(count - 1), items(std::make_unique<std::atomic<uint64_t>[]>(count)) {}
    uint64_t mask;
    std::unique_ptr<std::atomic<uint64_t>[]> items;
  };

  template <class Same>
  uint32_t probe(const Slots& slots, uint64_t hash, const Same& same) const {
    for (uint64_t i = hash & slots.mask;; i = (i + 1) & slots.mask) {
      const uint64_t slot = slots.items[i].load(std::memory_order_acquire);
      if (slot == 0) return 0;
      if (((slot ^ hash) & kTag) != 0) continue;
      const uint32_t id = static_cast<uint32_t>(slot);
      if (same(entries_[id])) return id;
    }
  }

  static void insert(Slots& slots, uint64_t hash, uint32_t id) {
    uint64_t i = hash & slots.mask;
    while (slots.items[i].load(std::memory_order_relaxed) != 0) i = (i + 1) & slots.mask;
    slots.items[i].store((hash & kTag) | id, std::memory_order_release);
  }

  void use_slots(uint64_t count) {
    auto fresh = std::make_unique<Slots>(count);
    for (uint32_t id = 1; id < entries_.size(); ++id) insert(*fresh, hashes_[id - 1], id);
    slots_.store(fresh.get(), std::memory_order_release);
    all_slots_.push_back(std::move(fresh));
  }
  void grow() { use_slots(2 * (slots_.load(std::memory_order_relaxed)->mask + 1)); }

  StableVector<Entry> entries_;
  std::atomic<Slots*> slots_{nullptr};
  std::mutex mutex_;  // guards what follows, and appending
  std::vector<uint64_t> hashes_;
  std::vector<std::unique_ptr<Slots>> all_slots_;  // readers may still probe an old one
  Arena arena_;
};

}  // namespace nfx
