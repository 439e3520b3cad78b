// How operations on symbolic numbers are called in text.
#pragma once
#include <cstddef>
#include <string_view>

#include "ir/sym_expr.h"

namespace nfx {

struct SymFunction {
  std::string_view name;
  SymOp op;
  size_t arity;       // 0: one or more
  bool swap = false;  // a > b is b < a
};

// The first entry of an operation is the name under which it prints.
inline constexpr SymFunction kSymFunctions[] = {
    {"FloorDiv", SymOp::kFloorDiv, 2},
    {"CleanDiv", SymOp::kFloorDiv, 2},
    {"CeilDiv", SymOp::kCeilDiv, 2},
    {"Mod", SymOp::kMod, 2},
    {"PythonMod", SymOp::kMod, 2},
    {"Max", SymOp::kMax, 0},
    {"Min", SymOp::kMin, 0},
    {"max", SymOp::kMax, 0},
    {"min", SymOp::kMin, 0},
    {"Add", SymOp::kAdd, 0},
    {"Mul", SymOp::kMul, 0},
    {"Pow", SymOp::kPow, 2},
    {"PowByNatural", SymOp::kPow, 2},
    {"FloatPow", SymOp::kFloatPow, 2},
    {"IntTrueDiv", SymOp::kIntTrueDiv, 2},
    {"FloatTrueDiv", SymOp::kFloatTrueDiv, 2},
    {"ToFloat", SymOp::kToFloat, 1},
    {"TruncToInt", SymOp::kTruncToInt, 1},
    {"RoundToInt", SymOp::kRoundToInt, 1},
    {"floor", SymOp::kFloor, 1},
    {"FloorToInt", SymOp::kFloor, 1},
    {"ceiling", SymOp::kCeil, 1},
    {"CeilToInt", SymOp::kCeil, 1},
    {"sqrt", SymOp::kSqrt, 1},
    {"OpaqueUnaryFn_sqrt", SymOp::kSqrt, 1},
    {"Where", SymOp::kWhere, 3},
    {"Eq", SymOp::kEq, 2},
    {"Ne", SymOp::kNe, 2},
    {"Lt", SymOp::kLt, 2},
    {"Le", SymOp::kLe, 2},
    {"Gt", SymOp::kLt, 2, true},
    {"Ge", SymOp::kLe, 2, true},
    {"And", SymOp::kAnd, 0},
    {"Or", SymOp::kOr, 0},
    {"Not", SymOp::kNot, 1},
};

constexpr std::string_view sym_function_name(SymOp op) {
  for (const SymFunction& function : kSymFunctions) {
    if (function.op == op) return function.name;
  }
  return "";
}

}  // namespace nfx
