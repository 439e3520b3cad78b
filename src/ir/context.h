// Owns what graphs share: interned text, symbolic expressions, types, argument
// structures, opaque objects and the ops that are known. Thread-safe; ids and
// the references that accessors give stay valid as long as the Context.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "ir/arg.h"
#include "ir/ids.h"
#include "ir/op_info.h"
#include "ir/opaque.h"
#include "ir/sym_expr.h"
#include "ir/type.h"

namespace nfx {

class Context {
 public:
  explicit Context(const OpTable* ops = nullptr, OpaqueOwner* owner = nullptr);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Makes room for that many more texts and opaque objects.
  void reserve(uint32_t texts, uint32_t objects);

  StringId intern(std::string_view text);
  std::string_view text(StringId id) const;
  StringId find_text(std::string_view text) const;  // none if it was never interned

  TypeId intern(const Type& type);
  const Type& type(TypeId id) const;  // id none: the unknown type

  ArgId intern(const Arg& arg);  // `holes` and `depth` are computed
  const Arg& arg(ArgId id) const;
  // Shorthands for the frequent ones.
  ArgId hole();
  ArgId none();
  ArgId integer(int64_t value);
  ArgId real(double value);
  ArgId boolean(bool value);
  ArgId string(std::string_view value);
  ArgId sequence(ArgKind kind, std::span<const ArgId> children);
  ArgId call(std::span<const ArgId> positional, ArgId keywords = {});

  // Keeps `object` alive; the same object gives the same id.
  OpaqueId opaque(void* object);
  void* object(OpaqueId id) const;
  std::string opaque_label(OpaqueId id) const;
  // A handle read from a text whose objects live in another process: it has a
  // number and a label, and no object.
  OpaqueId opaque_stand_in(uint32_t number, std::string_view label);
  uint32_t opaque_number(OpaqueId id) const;  // as printed: `opaque#12`
  uint32_t num_opaques() const;               // ids are 1 .. num_opaques()
  bool has_opaque_owner() const;

  // The op of that name, or null. A name is looked up once.
  const OpInfo* op(StringId name) const;

  struct Tables;  // context_tables.h
  Tables& tables() { return *tables_; }
  const Tables& tables() const { return *tables_; }

 private:
  std::unique_ptr<Tables> tables_;
};

}  // namespace nfx
