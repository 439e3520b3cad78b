// Reads the text form of a loop kernel; docs/loops.md has the grammar.
#pragma once
#include <string_view>

#include "loop/kernel.h"
#include "support/result.h"

namespace nfx {

// A verified kernel: print(parse(print(k))) == print(k). Errors point into the text.
Result<Kernel> parse_kernel(std::string_view text);

}  // namespace nfx
