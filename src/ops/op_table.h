// All rows, and the ops that only a schema is known of.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ops/op_row.h"

namespace nfx {

// The rows written in this folder, by name. Never changes after start.
const std::map<std::string, OpRow, std::less<>>& op_rows();

// Looks an op up among the rows, then among schemas given at run time.
class SchemaOpTable final : public OpTable {
 public:
  // `schemas`: texts as PyTorch prints them. An op with a row whose recorded
  // schema differs loses its row and is listed in mismatches().
  explicit SchemaOpTable(const std::vector<std::string>& schemas = {});
  ~SchemaOpTable() override;

  const OpInfo* find(std::string_view name) const override;
  // Ops that draw random numbers or have effects that no schema shows, by tag.
  void set_traits(std::string_view name, std::initializer_list<Trait> traits);
  const std::vector<std::string>& mismatches() const { return mismatches_; }

 private:
  struct Entry;
  std::map<std::string, std::unique_ptr<Entry>, std::less<>> entries_;
  std::vector<std::string> mismatches_;
};

// "aten::add.Tensor" -> "aten.add.Tensor", "aten::relu" -> "aten.relu.default".
std::string op_name(const Schema& schema);

}  // namespace nfx
