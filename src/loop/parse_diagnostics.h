// What can be wrong with the text of a kernel, for its two parsers.
#pragma once
#include <string>

#include "support/diagnostic.h"

namespace nfx {

struct LoopSyntax {
  static constexpr std::string_view kCode = "loop-syntax";
  std::string expected;
  std::string found;
  std::string message() const { return "expected " + expected + ", found `" + found + "`"; }
  std::string help() const { return "docs/loops.md has the grammar"; }
};
NFX_DIAGNOSTIC(LoopSyntax);

struct LoopUnknownName {
  static constexpr std::string_view kCode = "loop-unknown-name";
  std::string name;
  std::string message() const { return "`" + name + "` is not known here"; }
  std::string help() const { return "declare it above its first use"; }
};
NFX_DIAGNOSTIC(LoopUnknownName);

struct LoopBadName {
  static constexpr std::string_view kCode = "loop-bad-name";
  std::string name;
  std::string what;
  std::string message() const { return "`" + name + "` " + what; }
  std::string help() const {
    return "buffers are b0, b1, ..., scalars s0, ..., reductions r0, ... in order; other names are "
           "free if no keyword and used once";
  }
};
NFX_DIAGNOSTIC(LoopBadName);

struct LoopBadNumber {
  static constexpr std::string_view kCode = "loop-bad-number";
  std::string number;
  std::string dtype;
  std::string message() const { return "`" + number + "` is no value of " + dtype; }
  std::string help() const {
    return "write 3 for int64, 1.5 for float64, 1.5f for float32, others as 3:int32";
  }
};
NFX_DIAGNOSTIC(LoopBadNumber);

struct LoopTooDeep {
  static constexpr std::string_view kCode = "loop-too-deep";
  int limit;
  std::string message() const {
    return "the expression is nested more than " + std::to_string(limit) + " deep";
  }
  std::string help() const { return "name a part of it with `let`"; }
};
NFX_DIAGNOSTIC(LoopTooDeep);

}  // namespace nfx
