// The tables behind a Context. Included only by the files that implement
// interning: context.cpp and sym_expr*.cpp.
#pragma once
#include <atomic>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ir/context.h"
#include "support/hash.h"
#include "support/intern_table.h"

namespace nfx {

struct InternedText {
  InternedText() = default;
  explicit InternedText(std::string_view t) : text(t) {}
  std::string_view text;
  // The op of this name: found on first demand, kUnasked until then.
  std::atomic<const OpInfo*> op{unasked()};
  static const OpInfo* unasked() {
    static constexpr OpInfo kUnasked{};
    return &kUnasked;
  }
};

struct OpaqueEntry {
  void* object = nullptr;  // null: stands for an object of another process
  uint32_t number = 0;     // as printed
  std::string_view label;  // of a stand-in; a real object is asked for its own
};

struct Context::Tables {
  // An entry is made under its table's lock; interning a child first and then
  // its parent therefore never holds two locks.
  InternTable<InternedText> texts;
  InternTable<Type> types;
  InternTable<Arg> args;
  InternTable<OpaqueEntry> opaques;

  // Nodes of symbolic expressions, operands in the table's arena. Interning
  // does not simplify; sym() does, before it interns.
  InternTable<SymNode> syms;
  static uint64_t hash(const SymNode& node);
  static bool same(const SymNode& a, const SymNode& b);  // floats to the bit
  SymExprId intern_sym(const SymNode& node);

  // Facts of symbols, by SymExprId::value of the kSymbol node.
  mutable std::shared_mutex symbols_mutex;
  std::unordered_map<uint32_t, Symbol> symbols;

  const OpTable* ops = nullptr;
  OpaqueOwner* owner = nullptr;

  // Made once, for they are everywhere.
  ArgId hole, none, no_keywords, true_value, false_value;
};

}  // namespace nfx
