#include "ir/graph_names.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>
#include <unordered_set>

#include "ir/spelling.h"

namespace nfx {
namespace {

// What Python would not take as the name of a variable, or what generated code
// needs for itself.
constexpr std::string_view kReserved =
    "False None NoneType NotImplemented True abs aiter all and anext any as ascii assert async "
    "await bin bool break breakpoint bytearray bytes callable chr class classmethod compile "
    "complex continue copyright credits def del delattr device dict dir divmod elif else "
    "enumerate eval except exec exit filter finally float for format from frozenset fx_pytree "
    "getattr global globals hasattr hash help hex id if import in inf input int is isinstance "
    "issubclass iter lambda len license list locals map max memoryview min nan next nonlocal "
    "not object oct open or ord pass pow print property pytree quit raise range repr return "
    "reversed round self set setattr slice sorted staticmethod str sum super torch try tuple "
    "type vars while with yield zip ";

std::unordered_set<std::string_view> split_words(std::string_view text) {
  std::unordered_set<std::string_view> words;
  for (size_t end; (end = text.find(' ')) != std::string_view::npos;) {
    words.insert(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return words;
}

bool is_reserved(std::string_view name) {
  static const std::unordered_set<std::string_view> words = split_words(kReserved);
  return words.contains(name);
}

// The part of a target that names what it does.
std::string_view stem(NodeKind kind, std::string_view target) {
  if (kind != NodeKind::kCallFunction) return target;
  const size_t last = target.rfind('.');
  if (last == std::string_view::npos) return target;
  const size_t first = target.find('.');
  const bool three_parts = first != last && target.find('.', first + 1) == last;
  const bool is_torch_function = target.substr(0, first) == "torch";
  // `namespace.op.overload`; other functions are named by their last part.
  if (three_parts && !is_torch_function) return target.substr(first + 1, last - first - 1);
  return target.substr(last + 1);
}

// fx writes `BatchNorm` as `batch_norm` and replaces what no identifier holds.
std::string identifier(std::string_view text) {
  std::string out;
  char before = '_';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isupper(byte) && std::islower(static_cast<unsigned char>(before))) out += '_';
    out += std::isalnum(byte) ? static_cast<char>(std::tolower(byte)) : '_';
    before = c;
  }
  if (out.empty()) return "_unnamed";
  return std::isdigit(static_cast<unsigned char>(out[0])) ? "_" + out : out;
}

// `add_12` is `add` and 12; without a number behind it, nothing.
std::optional<uint64_t> split_number(std::string_view& name) {
  size_t digits = name.size();
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1]))) --digits;
  if (digits == name.size() || digits < 2 || name[digits - 1] != '_') return std::nullopt;
  uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(name.data() + digits, name.data() + name.size(), number);
  if (error != std::errc() || number > UINT32_MAX) return std::nullopt;
  name = name.substr(0, digits - 1);
  return number;
}

}  // namespace

bool Graph::Names::is_stale(const Entry& entry) const {
  const NodeRecord& record = table_.records[entry.node.value];
  return record.erased || record.name != entry.name;
}

// Sixteen ids in a row share a hash, for names that are made together have ids in
// a row and are asked for together.
size_t Graph::Names::slot_of(StringId name) const {
  const size_t mask = entries_.size() - 1;
  const size_t block = std::hash<StringId>()({name.value >> 4}) >> 20;
  size_t i = (block << 4 | (name.value & 15)) & mask;
  while (entries_[i].name && entries_[i].name != name) i = (i + 1) & mask;
  return i;
}

// Twice the room, or the same if many entries are stale.
void Graph::Names::grow() {
  const std::vector<Entry> old = std::move(entries_);
  entries_.assign(std::max<size_t>(64, std::bit_ceil(4 * table_.live)), Entry{});
  count_ = 0;
  for (const Entry& entry : old) {
    if (!entry.name || is_stale(entry)) continue;
    entries_[slot_of(entry.name)] = entry;
    ++count_;
  }
}

void Graph::Names::update() {
  for (; indexed_ < table_.records.size(); ++indexed_) {
    const NodeRecord& record = table_.records[indexed_];
    if (!record.erased && record.name) insert(record.name, {indexed_});
  }
}

void Graph::Names::insert(StringId name, NodeId node) {
  if (2 * (count_ + 1) > entries_.size()) grow();
  Entry& entry = entries_[slot_of(name)];
  if (entry.name && !is_stale(entry)) return;
  if (!entry.name) ++count_;
  entry = {name, node};
}

NodeId Graph::Names::find(StringId name) const {
  if (!name || entries_.empty()) return {};
  const Entry& entry = entries_[slot_of(name)];
  return entry.name && !is_stale(entry) ? entry.node : NodeId{};
}

const Graph::Names::Stem& Graph::Names::stem_of(Context& context, StringId name) {
  const auto [entry, is_new] = stems_.try_emplace(name);
  if (is_new) {
    Stem& stem = entry->second;
    stem.text = context.text(name);
    stem.given = split_number(stem.text).value_or(0);
    stem.number = &last_number_[context.intern(stem.text)];
  }
  return entry->second;
}

StringId Graph::Names::numbered(Context& context, StringId name) {
  const Stem& stem = stem_of(context, name);
  uint64_t& number = *stem.number;
  number = std::max(number, stem.given);
  candidate_.assign(stem.text);
  candidate_ += '_';
  const size_t prefix = candidate_.size();
  while (true) {
    candidate_.resize(prefix);
    spell_int(candidate_, static_cast<int64_t>(++number));
    const StringId id = context.intern(candidate_);
    if (!find(id)) return id;
  }
}

StringId Graph::Names::make_unique(Context& context, std::string_view wanted) {
  const StringId as_is = context.intern(wanted);
  return find(as_is) ? numbered(context, as_is) : as_is;
}

StringId Graph::Names::make_default(Context& context, NodeKind kind, StringId target) {
  const uint64_t key = static_cast<uint64_t>(kind) << 32 | target.value;
  const auto [entry, is_new] = defaults_.try_emplace(key);
  Default& known = entry->second;
  if (is_new) {
    const std::string name =
        kind == NodeKind::kOutput ? "output" : identifier(stem(kind, context.text(target)));
    known = {context.intern(name), is_reserved(name)};
  }
  return known.reserved || find(known.name) ? numbered(context, known.name) : known.name;
}

}  // namespace nfx
