// The interned symbolic expressions of a Context and what is known of their
// symbols. Simplification is in sym_build.cpp; here each node is stored as given.
#pragma once
#include <array>
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "ir/sym_expr.h"

namespace nfx {

class SymTable {
 public:
  SymTable() = default;
  ~SymTable();
  SymTable(const SymTable&) = delete;
  SymTable& operator=(const SymTable&) = delete;

  SymExprId intern(const SymNode& node);    // operands are copied
  const SymNode& node(SymExprId id) const;  // stays valid; takes no lock
  SymRange range(SymExprId id) const;

  // The entry of a symbol; nothing if no symbol has that name.
  bool facts(StringId name, Symbol& out) const;
  void declare(StringId name, SymKind kind);  // keeps an entry that is there
  void set_range(SymExprId symbol, SymRange range);
  void set_hint(StringId name, int64_t hint);

 private:
  struct Record {
    SymNode node;
    SymRange range;
    uint64_t hash = 0;
  };
  // Chunk k holds 256 << k records, so records never move.
  static constexpr uint32_t kFirstChunk = 256;
  Record& record(uint32_t index) const;
  Record& append();
  void grow();
  SymRange compute_range(const SymNode& node) const;
  const Symbol* find_symbol(StringId name) const;

  mutable std::shared_mutex mutex_;
  std::array<std::atomic<Record*>, 24> chunks_{};
  uint32_t size_ = 1;              // [0] is "none"
  std::vector<uint32_t> buckets_;  // open addressing, ids; 0 is free
  std::vector<Symbol> symbols_;
  std::unordered_map<StringId, uint32_t> symbol_of_name_;  // index into symbols_
};

// The table of a Context; defined with its other tables.
SymTable& sym_table(Context& context);
const SymTable& sym_table(const Context& context);

}  // namespace nfx
