// The op table as text, for `nfx ops` and docs/ops.md.
#pragma once
#include <string>

#include "ops/op_row.h"

namespace nfx {

// What a row gives: "pointwise", "view", "reduction", "expansion" ...
std::string kind_of(const OpRow& row);

// A Markdown table of all rows, by name.
std::string describe_rows();

}  // namespace nfx
