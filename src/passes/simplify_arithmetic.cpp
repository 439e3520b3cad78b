#include <cmath>

#include "passes/simplify_rules.h"
#include "rewrite/pattern_ops.h"

namespace nfx {
namespace {

using namespace pattern;  // NOLINT: the words of this file

// A power of two whose inverse every floating dtype holds exactly.
Condition is_power_of_two(std::string_view name) {
  return {"is_power_of_two(" + std::string(name) + ")", [name](const Match& match) {
            int exponent = 0;
            const double number = *match.number(name).as_number();
            return std::abs(std::frexp(number, &exponent)) == 0.5 && std::abs(exponent) <= 12;
          }};
}

// Arithmetic of int64 wraps, as PyTorch's does.
int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }
uint64_t bits(const Match& match, std::string_view name) {
  return static_cast<uint64_t>(*match.number(name).as_int());
}

// PyTorch refuses numbers that the tensor's dtype does not hold.
std::optional<ArgId> integer_for(const Match& match, std::string_view tensor, int64_t value) {
  const int width = 8 * dtype_size(match.dtype(tensor));
  const int64_t largest = INT64_MAX >> (64 - width);
  if (!is_signed(match.dtype(tensor)) || value > largest || value < -largest) return std::nullopt;
  return match.context().integer(value);
}

const Pattern inverse_of_k = computed("1/k", [](const Match& match) {
  return std::optional(match.context().real(1.0 / *match.number("k").as_number()));
});
const Pattern k_times_m = computed("k*m", [](const Match& match) {
  return integer_for(match, "x", wrap(bits(match, "k") * bits(match, "m")));
});
const Pattern k_plus_m = computed("k+m", [](const Match& match) {
  return integer_for(match, "x", wrap(bits(match, "k") + bits(match, "m")));
});
const Pattern real_k_times_m = computed("k*m", [](const Match& match) {
  return std::optional(
      match.context().real(*match.number("k").as_number() * *match.number("m").as_number()));
});
const Pattern real_k_plus_m = computed("k+m", [](const Match& match) {
  return std::optional(
      match.context().real(*match.number("k").as_number() + *match.number("m").as_number()));
});

const Var x("x"), y("y");
const Number k("k"), m("m");

void add_neutral_elements(RuleSet& rules) {
  rules.rewrite(x * 1, x);
  rules.rewrite(x / 1, x);
  rules.rewrite(x - 0, x);
  rules.rewrite(x + -0.0, x);
  rules.rewrite(x + 0, x, is_integer("x"));                // -0.0 + 0.0 is 0.0
  rules.rewrite(x * 0, full_like(x, 0), is_integer("x"));  // NaN * 0 is NaN, -1.0 * 0 is -0.0
  rules.rewrite(x - x, full_like(x, 0), is_integer("x"));  // inf - inf is NaN
  rules.rewrite(pow(x, 0), full_like(x, 1));               // of NaN too
  rules.rewrite(pow(x, 1), x);
  rules.rewrite(pow(x, 2), x * x);
}

void add_signs(RuleSet& rules) {
  const Condition is_number = is_integer("x") || is_floating_point("x");
  const Condition alike =
      same_dtype("x", "y") && is_number;  // the least int32 has no negative, as int64 it has
  rules.rewrite(neg(neg(x)), x);
  rules.rewrite(x * -1, neg(x));
  rules.rewrite(x / -1, neg(x));
  rules.rewrite(rsub(x, 0), neg(x), is_integer("x"));  // 0.0 - 0.0 is 0.0, not -0.0
  rules.rewrite(x + neg(y), x - y, alike);
  rules.rewrite(x - neg(y), x + y, alike);
  rules.rewrite(neg(x) * neg(y), x * y, alike);
  rules.rewrite(neg(x) / neg(y), x / y, same_dtype("x", "y") && is_floating_point("x"));
  rules.rewrite(neg(x - y), y - x, alike && is_integer("x"));  // of x == y: -0.0 and 0.0
  rules.rewrite(abs(abs(x)), abs(x));
  rules.rewrite(abs(neg(x)), abs(x));
  rules.rewrite(sign(sign(x)), sign(x));
  rules.rewrite(relu(abs(x)), abs(x), is_floating_point("x"));  // abs of the least integer is it
}

void add_bounds(RuleSet& rules) {
  rules.rewrite(relu(relu(x)), relu(x));
  rules.rewrite(clamp(clamp(x, k, m), k, m), clamp(x, k, m));
  rules.rewrite(clamp_min(clamp_min(x, k), k), clamp_min(x, k));
  rules.rewrite(clamp_max(clamp_max(x, k), k), clamp_max(x, k));
  rules.rewrite(maximum(x, x), x);
  rules.rewrite(minimum(x, x), x);
  rules.rewrite(maximum(maximum(x, y), y), maximum(x, y),
                is_integer("x"));  // of 0.0 and -0.0 either
  rules.rewrite(minimum(minimum(x, y), y), minimum(x, y), is_integer("x"));
}

void add_numbers(RuleSet& rules) {
  rules.rewrite(x / k, x * inverse_of_k, is_floating_point("x") && is_power_of_two("k"));
  const Condition integers = is_integer("x") && is_integer("k") && is_integer("m");
  rules.rewrite((x * k) * m, x * k_times_m, integers);
  rules.rewrite((x + k) + m, x + k_plus_m, integers);
  const Condition floats = is_floating_point("x");
  rules.rewrite((x * k) * m, x * real_k_times_m, floats).reassociates = true;
  rules.rewrite((x + k) + m, x + real_k_plus_m, floats).reassociates = true;
}

RuleSet make() {
  RuleSet rules("simplify_arithmetic");
  add_neutral_elements(rules);
  add_signs(rules);
  add_bounds(rules);
  add_numbers(rules);
  return rules;
}

}  // namespace

const RuleSet& simplify_arithmetic() {
  static const RuleSet rules = make();
  return rules;
}

NFX_RULES(simplify_arithmetic);

}  // namespace nfx
