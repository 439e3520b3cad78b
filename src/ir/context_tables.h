// The tables behind a Context. Included only by the files that implement it.
#pragma once
#include <atomic>
#include <string_view>

#include "ir/context.h"
#include "ir/sym_table.h"
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

  SymTable syms;

  const OpTable* ops = nullptr;
  OpaqueOwner* owner = nullptr;

  // Made once, for they are everywhere.
  ArgId hole, none, no_keywords, true_value, false_value;
};

}  // namespace nfx
