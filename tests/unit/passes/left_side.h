// Graphs that a pattern matches, with values for their inputs.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "passes/graph_values.h"
#include "rewrite/driver.h"

namespace nfx {

// What a pattern leaves open.
struct Choice {
  std::map<std::string_view, Dtype> dtypes;  // of variables
  std::map<std::string_view, double> numbers;
  bool integral_numbers = false;  // spelled as int rather than float
  size_t overload = 0;            // number of the target of each op, as far as it has so many
  bool swap = false;              // commutative arguments in the other order
  bool literals_are_tensors = false;
};

std::vector<Choice> choices(const Pattern& pattern);

struct LeftSide {
  std::shared_ptr<Context> context;
  std::unique_ptr<Graph> graph;     // returns a copy of the left side
  std::vector<TensorValue> inputs;  // all combinations of special values
};

// Nothing if the ops do not take such arguments.
std::optional<LeftSide> left_side(const Pattern& pattern, const Choice& choice);

}  // namespace nfx
