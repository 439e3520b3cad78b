// Which names can stand in a kernel's text.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "loop/kernel.h"

namespace nfx {

// `b0`, `s1`, `r2`, `t3`, `d4`, `state0`, `other1` and the like, keywords and
// constants have a fixed meaning.
bool is_reserved_name(std::string_view name);

// An identifier that a kernel or a dimension may be called.
bool is_free_name(std::string_view name);

// One distinct name a dimension: d0, d1, ..., or its own where that is free.
std::vector<std::string> dimension_names(const Kernel& kernel, bool own);

// The number of a name made of `prefix` and digits, -1 for all others.
int64_t numbered(std::string_view name, std::string_view prefix);

}  // namespace nfx
