#include "ir/sym_table.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "ir/sym_range.h"

namespace nfx {
namespace {

uint64_t mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * 0x9E3779B97F4A7C15u;
  return h ^ (h >> 29);
}

uint64_t hash_of(const SymNode& n) {
  uint64_t h = mix(static_cast<uint64_t>(n.op), static_cast<uint64_t>(n.kind));
  h = mix(h, static_cast<uint64_t>(n.integer));
  h = mix(h, std::bit_cast<uint64_t>(n.real));
  h = mix(h, n.text.value);
  for (SymExprId id : n.operands) h = mix(h, id.value);
  return h;
}

// Floats by their bits: -0.0 and NaN are constants like any other.
bool same(const SymNode& a, const SymNode& b) {
  return a.op == b.op && a.kind == b.kind && a.integer == b.integer && a.text == b.text &&
         std::bit_cast<uint64_t>(a.real) == std::bit_cast<uint64_t>(b.real) &&
         std::ranges::equal(a.operands, b.operands);
}

}  // namespace

SymTable::~SymTable() {
  for (uint32_t i = 1; i < size_; ++i) delete[] record(i).node.operands.data();
  for (auto& chunk : chunks_) delete[] chunk.load();
}

SymTable::Record& SymTable::record(uint32_t index) const {
  uint32_t chunk = std::bit_width(index / kFirstChunk + 1) - 1;
  uint32_t first = ((1u << chunk) - 1) * kFirstChunk;
  return chunks_[chunk].load(std::memory_order_acquire)[index - first];
}

SymTable::Record& SymTable::append() {
  uint32_t chunk = std::bit_width(size_ / kFirstChunk + 1) - 1;
  if (chunks_[chunk].load(std::memory_order_relaxed) == nullptr) {
    chunks_[chunk].store(new Record[size_t{kFirstChunk} << chunk], std::memory_order_release);
  }
  return record(size_++);
}

void SymTable::grow() {
  buckets_.assign(std::max<size_t>(512, buckets_.size() * 2), 0);
  for (uint32_t i = 1; i < size_; ++i) {
    size_t slot = record(i).hash & (buckets_.size() - 1);
    while (buckets_[slot] != 0) slot = (slot + 1) & (buckets_.size() - 1);
    buckets_[slot] = i;
  }
}

SymExprId SymTable::intern(const SymNode& node) {
  const uint64_t hash = hash_of(node);
  std::unique_lock lock(mutex_);
  if (size_ * 2 >= buckets_.size()) grow();
  size_t slot = hash & (buckets_.size() - 1);
  for (; buckets_[slot] != 0; slot = (slot + 1) & (buckets_.size() - 1)) {
    const Record& there = record(buckets_[slot]);
    if (there.hash == hash && same(there.node, node)) return {buckets_[slot]};
  }
  Record& fresh = append();
  fresh.node = node;
  fresh.hash = hash;
  if (!node.operands.empty()) {
    auto* copy = new SymExprId[node.operands.size()];
    std::ranges::copy(node.operands, copy);
    fresh.node.operands = {copy, node.operands.size()};
  } else {
    fresh.node.operands = {};
  }
  fresh.range = compute_range(fresh.node);
  buckets_[slot] = size_ - 1;
  return {size_ - 1};
}

const SymNode& SymTable::node(SymExprId id) const {
  assert(id && "no expression has id 0");
  return record(id.value).node;
}

SymRange SymTable::range(SymExprId id) const {
  std::shared_lock lock(mutex_);
  return record(id.value).range;
}

SymRange SymTable::compute_range(const SymNode& node) const {
  if (node.op == SymOp::kInt || node.op == SymOp::kBool) return {node.integer, node.integer};
  if (node.kind == SymKind::kFloat) return kFullRange;
  if (node.op == SymOp::kSymbol) {
    const Symbol* symbol = find_symbol(node.text);
    return symbol == nullptr ? kFullRange : symbol->range;
  }
  std::vector<SymRange> ranges;
  ranges.reserve(node.operands.size());
  for (SymExprId id : node.operands) ranges.push_back(record(id.value).range);
  return range_of_op(node.op, node.operands, ranges);
}

const Symbol* SymTable::find_symbol(StringId name) const {
  auto entry = symbol_of_name_.find(name);
  return entry == symbol_of_name_.end() ? nullptr : &symbols_[entry->second];
}

bool SymTable::facts(StringId name, Symbol& out) const {
  std::shared_lock lock(mutex_);
  const Symbol* symbol = find_symbol(name);
  if (symbol != nullptr) out = *symbol;
  return symbol != nullptr;
}

void SymTable::declare(StringId name, SymKind kind) {
  std::unique_lock lock(mutex_);
  if (find_symbol(name) != nullptr) return;
  symbol_of_name_.emplace(name, static_cast<uint32_t>(symbols_.size()));
  symbols_.push_back({.name = name, .kind = kind});
  if (kind == SymKind::kBool) symbols_.back().range = {0, 1};
}

// Ranges are stored with the nodes; users have larger ids than their operands, so
// one pass over what was made after the symbol brings all of them up to date.
void SymTable::set_range(SymExprId id, SymRange range) {
  std::unique_lock lock(mutex_);
  auto* symbol = const_cast<Symbol*>(find_symbol(record(id.value).node.text));
  assert(symbol != nullptr && "the range of an undeclared symbol");
  if (symbol->range == range) return;
  symbol->range = range;
  for (uint32_t i = id.value; i < size_; ++i) record(i).range = compute_range(record(i).node);
}

void SymTable::set_hint(StringId name, int64_t hint) {
  std::unique_lock lock(mutex_);
  auto* symbol = const_cast<Symbol*>(find_symbol(name));
  assert(symbol != nullptr && "the hint of an undeclared symbol");
  symbol->hint = hint;
}

}  // namespace nfx
