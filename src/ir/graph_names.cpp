#include "ir/graph_names.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace nfx {
namespace {

// What Python would not take as the name of a variable, or what generated code
// needs for itself; each between spaces.
constexpr std::string_view kReserved =
    " "
    "False None NoneType NotImplemented True abs aiter all and anext any as ascii assert async "
    "await bin bool break breakpoint bytearray bytes callable chr class classmethod compile "
    "complex continue copyright credits def del delattr device dict dir divmod elif else "
    "enumerate eval except exec exit filter finally float for format from frozenset fx_pytree "
    "getattr global globals hasattr hash help hex id if import in inf input int is isinstance "
    "issubclass iter lambda len license list locals map max memoryview min nan next nonlocal "
    "not object oct open or ord pass pow print property pytree quit raise range repr return "
    "reversed round self set setattr slice sorted staticmethod str sum super torch try tuple "
    "type vars while with yield zip ";

bool is_reserved(std::string_view name) {
  return kReserved.find(" " + std::string(name) + " ") != std::string_view::npos;
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

size_t Graph::Names::home(StringId name) const {
  return (std::hash<StringId>()(name) >> 20) & (entries_.size() - 1);
}

void Graph::Names::grow() {
  std::vector<Entry> old = std::move(entries_);
  entries_.assign(std::max<size_t>(64, 2 * old.size()), Entry{});
  count_ = 0;
  for (const Entry& entry : old) {
    if (entry.name) insert(entry.name, entry.node);
  }
}

void Graph::Names::update(const NodeTable& table) {
  if (indexed_ == table.records.size()) return;
  for (; indexed_ < table.records.size(); ++indexed_) {
    const NodeRecord& record = table.records[indexed_];
    if (!record.erased && record.name) insert(record.name, {indexed_});
  }
}

void Graph::Names::insert(StringId name, NodeId node) {
  if (2 * (count_ + 1) > entries_.size()) grow();
  size_t i = home(name);
  for (; entries_[i].name; i = (i + 1) & (entries_.size() - 1)) {
    if (entries_[i].name == name) return;
  }
  entries_[i] = {name, node};
  ++count_;
}

NodeId Graph::Names::find(StringId name) const {
  if (!name || entries_.empty()) return {};
  for (size_t i = home(name); entries_[i].name; i = (i + 1) & (entries_.size() - 1)) {
    if (entries_[i].name == name) return entries_[i].node;
  }
  return {};
}

void Graph::Names::remove(StringId name, NodeId node) {
  if (find(name) != node || !node) return;
  const size_t mask = entries_.size() - 1;
  size_t hole = home(name);
  while (entries_[hole].name != name) hole = (hole + 1) & mask;
  // Moves later entries of the run forward, so that no probe stops too early.
  for (size_t i = (hole + 1) & mask; entries_[i].name; i = (i + 1) & mask) {
    if (((i - home(entries_[i].name)) & mask) >= ((i - hole) & mask)) {
      entries_[hole] = entries_[i];
      hole = i;
    }
  }
  entries_[hole] = {};
  --count_;
}

StringId Graph::Names::numbered(Context& context, std::string_view base, uint64_t& number) {
  std::string candidate(base);
  candidate += '_';
  const size_t prefix = candidate.size();
  while (true) {
    candidate.resize(prefix);
    candidate += std::to_string(++number);
    const StringId known = context.find_text(candidate);
    if (!known || !find(known)) return known ? known : context.intern(candidate);
  }
}

StringId Graph::Names::make_unique(Context& context, std::string_view wanted) {
  const StringId as_is = context.intern(wanted);
  if (!find(as_is)) return as_is;
  std::string_view base = wanted;
  const std::optional<uint64_t> given = split_number(base);
  uint64_t& number = last_number_[std::string(base)];
  if (given && *given > number) number = *given;
  return numbered(context, base, number);
}

StringId Graph::Names::make_default(Context& context, NodeKind kind, std::string_view target) {
  const std::string name = kind == NodeKind::kOutput ? "output" : identifier(stem(kind, target));
  if (!is_reserved(name)) return make_unique(context, name);
  return numbered(context, name, last_number_[name]);
}

}  // namespace nfx
