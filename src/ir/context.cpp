#include "ir/context.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "ir/context_tables.h"

namespace nfx {
namespace {

template <class T>
bool same_span(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

template <class T>
void add_ids(HashMixer& mixer, std::span<const T> ids) {
  mixer.add(ids.size());
  for (const T id : ids) mixer.add(id.value);
}

uint64_t pack(uint32_t high, uint32_t low) { return uint64_t{high} << 32 | low; }
uint64_t bits(double value) { return std::bit_cast<uint64_t>(value); }

uint64_t hash_of(const Type& type) {
  HashMixer mixer;
  mixer.add(static_cast<uint64_t>(type.kind) << 24 | static_cast<uint64_t>(type.dtype) << 16 |
            static_cast<uint64_t>(type.layout) << 8 | uint64_t{type.requires_grad});
  mixer.add(pack(type.device.value, type.expr.value)).add(type.storage_offset.value);
  add_ids(mixer, type.sizes);
  add_ids(mixer, type.strides);
  add_ids(mixer, type.elements);
  return mixer.value();
}

// Without what does not belong to the kind, so that equal types have one id.
Type canonical(Context& context, const Type& type) {
  Type kept{.kind = type.kind};
  switch (type.kind) {
    case TypeKind::kTensor:
      kept = type;
      kept.expr = {};
      kept.elements = {};
      if (type.storage_offset && as_int(context, type.storage_offset) == 0)
        kept.storage_offset = {};
      break;
    case TypeKind::kScalar:
      kept.dtype = type.dtype;
      kept.expr = type.expr;
      break;
    case TypeKind::kTuple:
    case TypeKind::kList: kept.elements = type.elements; break;
    default: break;
  }
  return kept;
}

bool same(const Type& a, const Type& b) {
  return a.kind == b.kind && a.dtype == b.dtype && a.layout == b.layout &&
         a.requires_grad == b.requires_grad && a.device == b.device && a.expr == b.expr &&
         a.storage_offset == b.storage_offset && same_span(a.sizes, b.sizes) &&
         same_span(a.strides, b.strides) && same_span(a.elements, b.elements);
}

uint64_t hash_of(const Arg& arg) {
  HashMixer mixer;
  mixer.add(static_cast<uint64_t>(arg.kind) << 16 | uint64_t{arg.is_mutable} << 8 |
            static_cast<uint8_t>(arg.dtype));
  mixer.add(static_cast<uint64_t>(arg.integer)).add(bits(arg.real)).add(bits(arg.imag));
  mixer.add(pack(arg.text.value, arg.sym.value)).add(arg.opaque.value);
  add_ids(mixer, arg.children);
  return mixer.value();
}

// Floats to the bit: -0.0 is not 0.0, and a NaN is itself.
bool same(const Arg& a, const Arg& b) {
  return a.kind == b.kind && a.is_mutable == b.is_mutable && a.integer == b.integer &&
         bits(a.real) == bits(b.real) && bits(a.imag) == bits(b.imag) && a.dtype == b.dtype &&
         a.text == b.text && a.sym == b.sym && a.opaque == b.opaque &&
         same_span(a.children, b.children);
}

}  // namespace

Context::Context(const OpTable* ops, OpaqueOwner* owner) : tables_(std::make_unique<Tables>()) {
  tables_->ops = ops;
  tables_->owner = owner;
  tables_->hole = intern(Arg{.kind = ArgKind::kHole});
  tables_->none = intern(Arg{.kind = ArgKind::kNone});
  tables_->no_keywords = intern(Arg{.kind = ArgKind::kDict});
  tables_->true_value = intern(Arg{.kind = ArgKind::kBool, .integer = 1});
  tables_->false_value = intern(Arg{.kind = ArgKind::kBool, .integer = 0});
}

Context::~Context() {
  if (tables_->owner == nullptr) return;
  for (uint32_t id = 1; id < tables_->opaques.size(); ++id) {
    if (void* object = tables_->opaques[id].object) tables_->owner->release(object);
  }
}

void Context::reserve(uint32_t texts, uint32_t objects) {
  tables_->texts.reserve(texts);
  tables_->opaques.reserve(objects);
}

StringId Context::intern(std::string_view text) {
  if (text.empty()) return {};
  return {tables_->texts.intern(
      hash_text(text), [&](const InternedText& entry) { return entry.text == text; },
      [&](Arena& arena) { return arena.copy(text); })};
}

StringId Context::find_text(std::string_view text) const {
  if (text.empty()) return {};
  return {tables_->texts.find(hash_text(text),
                              [&](const InternedText& entry) { return entry.text == text; })};
}

std::string_view Context::text(StringId id) const { return tables_->texts[id.value].text; }

TypeId Context::intern(const Type& given) {
  const Type type = canonical(*this, given);
  if (type.kind == TypeKind::kUnknown) return {};
  return {tables_->types.intern(
      hash_of(type), [&](const Type& other) { return same(type, other); },
      [&](Arena& arena) {
        Type kept = type;
        kept.sizes = arena.copy(type.sizes);
        kept.strides = arena.copy(type.strides);
        kept.elements = arena.copy(type.elements);
        return kept;
      })};
}

const Type& Context::type(TypeId id) const { return tables_->types[id.value]; }

ArgId Context::intern(const Arg& arg) {
  return {tables_->args.intern(
      hash_of(arg), [&](const Arg& other) { return same(arg, other); },
      [&](Arena& arena) {
        Arg kept = arg;
        kept.children = arena.copy(arg.children);
        kept.holes = arg.kind == ArgKind::kHole ? 1 : 0;
        kept.depth = 0;
        for (const ArgId id : arg.children) {
          const Arg& child = tables_->args[id.value];
          kept.holes += child.holes;
          const int depth = std::min<int>(child.depth + 1, Arg::kMaxDepth);
          kept.depth = std::max(kept.depth, static_cast<uint16_t>(depth));
        }
        return kept;
      })};
}

const Arg& Context::arg(ArgId id) const { return tables_->args[id.value]; }

ArgId Context::hole() { return tables_->hole; }
ArgId Context::none() { return tables_->none; }
ArgId Context::integer(int64_t value) {
  return intern(Arg{.kind = ArgKind::kInt, .integer = value});
}
ArgId Context::real(double value) { return intern(Arg{.kind = ArgKind::kFloat, .real = value}); }
ArgId Context::boolean(bool value) { return value ? tables_->true_value : tables_->false_value; }
ArgId Context::string(std::string_view value) {
  return intern(Arg{.kind = ArgKind::kString, .text = intern(value)});
}
ArgId Context::sequence(ArgKind kind, std::span<const ArgId> children) {
  return intern(Arg{.kind = kind, .children = children});
}
ArgId Context::call(std::span<const ArgId> positional, ArgId keywords) {
  const ArgId parts[] = {sequence(ArgKind::kTuple, positional),
                         keywords ? keywords : tables_->no_keywords};
  return sequence(ArgKind::kCall, parts);
}

SymTable& sym_table(Context& context) { return context.tables().syms; }
const SymTable& sym_table(const Context& context) { return context.tables().syms; }

const OpInfo* Context::op(StringId name) const {
  std::atomic<const OpInfo*>& known = tables_->texts[name.value].op;
  const OpInfo* info = known.load(std::memory_order_acquire);
  if (info != InternedText::unasked()) return info;
  info = tables_->ops != nullptr && name ? tables_->ops->find(text(name)) : nullptr;
  known.store(info, std::memory_order_release);
  return info;
}

}  // namespace nfx
