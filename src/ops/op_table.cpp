#include "ops/op_table.h"

#include "ops/define.h"

namespace nfx {
namespace {

struct Rows {
  std::map<std::string, OpRow, std::less<>> rows;
  std::map<std::string, Schema, std::less<>> schemas;
};

Rows& registry() {
  static Rows rows;
  return rows;
}

}  // namespace

std::string op_name(const Schema& schema) {
  const size_t colons = schema.name.find("::");
  std::string name = schema.name.substr(0, colons);
  if (colons != std::string::npos) {
    name += '.';
    name += std::string_view(schema.name).substr(colons + 2);
  }
  name += '.';
  name += schema.overload.empty() ? "default" : schema.overload;
  return name;
}

RowBuilder op(std::string_view text) {
  Result<Schema> schema = parse_schema(text);
  assert(schema && "the schema of a row does not parse");
  const std::string name = op_name(*schema);
  Rows& rows = registry();
  const auto [it, fresh] = rows.rows.try_emplace(name);
  assert(fresh && "two rows of the same op");
  (void)fresh;
  OpRow& row = it->second;
  row.name = it->first;
  row.schema = &(rows.schemas[name] = std::move(*schema));
  if (row.schema->writes()) row.traits |= static_cast<uint32_t>(Trait::kMutates);
  return RowBuilder(row);
}

const std::map<std::string, OpRow, std::less<>>& op_rows() { return registry().rows; }

const OpRow* op_row(const OpInfo* info) {
  if (info == nullptr) return nullptr;
  const auto it = registry().rows.find(info->name);
  return it != registry().rows.end() && &it->second == info ? &it->second : nullptr;
}

// An op without a row: traits as its schema tells.
struct SchemaOpTable::Entry {
  explicit Entry(std::string op, Schema parsed) : name(std::move(op)), schema(std::move(parsed)) {
    info.name = name;
    info.schema = &schema;
    if (schema.writes()) info.traits |= static_cast<uint32_t>(Trait::kMutates);
    if (schema.returns_alias()) info.traits |= static_cast<uint32_t>(Trait::kMayAlias);
    if (!schema.writes() && !schema.results.empty())
      info.traits |= static_cast<uint32_t>(Trait::kPure);
    for (const SchemaArg& arg : schema.args) {
      if (arg.type.kind == SchemaKind::kGenerator)
        info.traits |= static_cast<uint32_t>(Trait::kRandom);
    }
  }
  std::string name;
  Schema schema;
  OpInfo info;
};

SchemaOpTable::SchemaOpTable(const std::vector<std::string>& schemas) {
  for (const std::string& text : schemas) {
    Result<Schema> schema = parse_schema(text);
    if (!schema) continue;  // an op that no graph of ours can hold
    std::string name = op_name(*schema);
    const auto row = op_rows().find(name);
    if (row != op_rows().end()) {
      if (row->second.schema->str() == schema->str()) continue;
      mismatches_.push_back(name);
    }
    auto entry = std::make_unique<Entry>(name, std::move(*schema));
    entries_.insert_or_assign(std::move(name), std::move(entry));
  }
}

SchemaOpTable::~SchemaOpTable() = default;

const OpInfo* SchemaOpTable::find(std::string_view name) const {
  if (const auto it = entries_.find(name); it != entries_.end()) return &it->second->info;
  if (const auto it = op_rows().find(name); it != op_rows().end()) return &it->second;
  return nullptr;
}

void SchemaOpTable::set_traits(std::string_view name, std::initializer_list<Trait> traits) {
  const auto it = entries_.find(name);
  if (it == entries_.end()) return;
  for (Trait trait : traits) {
    it->second->info.traits |= static_cast<uint32_t>(trait);
    if (trait == Trait::kRandom || trait == Trait::kEffect) {
      it->second->info.traits &= ~static_cast<uint32_t>(Trait::kPure);
    }
  }
}

}  // namespace nfx
