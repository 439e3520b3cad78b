// Sides of fusion rules, put together from parts that have several spellings.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "rewrite/rule_text.h"

namespace nfx {

// A graph with these placeholders and lines, that returns `%<result>`.
std::string side(const std::vector<std::string>& inputs, const std::string& body,
                 std::string_view result = "out");

// "  %name = call target(arguments)" and a line end.
std::string line(std::string_view name, std::string_view target, std::string_view arguments);

// Whether an argument of the pattern is this number, to six digits.
bool is_about(const SubgraphMatch& match, std::string_view name, double number);

// Whether it is an integer, or a list of one, that names the last dimension.
bool names_last_dimension(const SubgraphMatch& match, std::string_view name, size_t rank);

// The type of a floating-point tensor; null for anything else.
const Type* floating_tensor(const SubgraphMatch& match, std::string_view name);

}  // namespace nfx
