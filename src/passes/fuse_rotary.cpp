#include "passes/fuse_rotary.h"

#include "passes/fuse_rules.h"
#include "passes/fusion_text.h"

namespace nfx {
namespace {

// The halves of %x along its last dimension as %a and %b.
std::string slices() {
  return line("a", "aten.slice.Tensor", "%x, %d0, %start, %half") +
         line("b", "aten.slice.Tensor", "%x, %d1, %half, %end");
}

std::string parts(std::string_view op, std::string_view arguments) {
  return line("parts", op, arguments) + line("a", "operator.getitem", "%parts, 0") +
         line("b", "operator.getitem", "%parts, 1");
}

// The size of the last dimension, if it is known.
std::optional<int64_t> width(const SubgraphMatch& match) {
  const Type* x = floating_tensor(match, "x");
  if (x == nullptr || x->rank() == 0) return std::nullopt;
  return as_int(match.graph().context(), x->sizes.back());
}

bool is_int(const SubgraphMatch& match, std::string_view name, int64_t number) {
  return match.value(name).as_int() == number;
}

bool is_last(const SubgraphMatch& match, std::string_view name) {
  return names_last_dimension(match, name, match.tensor("x")->rank());
}

bool has_slices(const SubgraphMatch& match) {
  const std::optional<int64_t> size = width(match);
  if (!size || *size % 2 != 0 || !is_int(match, "half", *size / 2)) return false;
  const ArgumentView start = match.value("start");
  const std::optional<int64_t> end = match.value("end").as_int();
  return (start.is_none() || start.as_int() == 0) && end && *end >= *size && is_last(match, "d0") &&
         is_last(match, "d1") && is_last(match, "dim");
}

bool has_parts(const SubgraphMatch& match, bool by_size) {
  const std::optional<int64_t> size = width(match);
  if (!size || *size % 2 != 0) return false;
  return is_int(match, "count", by_size ? *size / 2 : 2) && is_last(match, "d0") &&
         is_last(match, "dim");
}

TextRule rule_of(std::vector<std::string> inputs, const std::string& halves,
                 std::function<bool(const SubgraphMatch&)> where) {
  inputs.insert(inputs.end(), {"dim", "cos", "sin"});
  const std::string body = halves + line("minus", "aten.neg.default", "%b") +
                           line("turned", "aten.cat.default", "[%minus, %a], %dim") +
                           line("along", "aten.mul.Tensor", "%x, %cos") +
                           line("across", "aten.mul.Tensor", "%turned, %sin") +
                           line("out", "aten.add.Tensor", "%along, %across");
  return {
      "rotary", side(inputs, body),
      side(inputs, line("rotary", "nativefx.rotary_embedding.default", "%x, %cos, %sin"), "rotary"),
      std::move(where)};
}

TextRuleSet make() {
  TextRuleSet set{"rotary", "spelled rotary embedding as nativefx.rotary_embedding; same bits", {}};
  set.rules.push_back(rule_of({"x", "d0", "d1", "start", "half", "end"}, slices(), has_slices));
  const std::vector<std::string> inputs{"x", "count", "d0"};
  for (const char* op : {"aten.split.Tensor", "aten.split.default"}) {
    set.rules.push_back(rule_of(inputs, parts(op, "%x, %count, %d0"),
                                [](const SubgraphMatch& match) { return has_parts(match, true); }));
  }
  set.rules.push_back(rule_of(inputs, parts("aten.chunk.default", "%x, %count, %d0"),
                              [](const SubgraphMatch& match) { return has_parts(match, false); }));
  return set;
}

}  // namespace

const TextRuleSet& rotary_rules() {
  static const TextRuleSet set = make();
  return set;
}

Changed fuse_rotary(Graph& graph) { return apply_fusion(graph, rotary_rules()); }

NFX_TEXT_RULES(rotary_rules);
NFX_PASS(fuse_rotary, "replace a spelled rotary embedding by one op");

}  // namespace nfx
