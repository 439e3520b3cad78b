#include "ops/describe.h"

#include "ops/op_table.h"

namespace nfx {

std::string kind_of(const OpRow& row) {
  if (row.has(Trait::kView)) return row.has(Trait::kReshape) ? "reshape" : "view";
  if (row.expand) return "expansion";
  if (row.fold) return "reduction";
  if (row.has(Trait::kPointwise)) return "pointwise";
  if (row.has(Trait::kGather)) return "gather";
  if (row.has(Trait::kFactory)) return "factory";
  return row.element ? "element" : "traits";
}

std::string describe_rows() {
  std::string text = "| op | kind | computed in |\n|---|---|---|\n";
  for (const auto& [name, row] : op_rows()) {
    std::string_view dtype;
    switch (row.promote) {
      case Promote::kNone: dtype = ""; break;
      case Promote::kDefault: dtype = "promoted dtype"; break;
      case Promote::kIntToFloat: dtype = "promoted dtype, integers as floats"; break;
      case Promote::kQuotient: dtype = "promoted dtype, integers as floats if not rounded"; break;
      case Promote::kBoolResult: dtype = "promoted dtype, gives bool"; break;
      case Promote::kLogical: dtype = "bool"; break;
      case Promote::kFirst: dtype = "dtype of the first operand"; break;
    }
    text += "| `" + name + "` | " + kind_of(row) + " | " + std::string(dtype) + " |\n";
  }
  return text;
}

}  // namespace nfx
