#include "passes/fuse_attention.h"

#include <algorithm>

#include "passes/fuse_rules.h"
#include "passes/fusion_text.h"

namespace nfx {
namespace {

struct Form {
  std::string product;    // matmul or bmm
  std::string transpose;  // makes %kt of %k
  std::string scale;      // op on the scores; empty for none
  std::string softmax;    // makes %p of %masked
  std::string after;      // what stands between %p and the product as %w
  bool masked = false;
};

bool is_last_two(const SubgraphMatch& match, size_t rank) {
  const auto dim = [&](std::string_view name) {
    const int64_t given = match.value(name).as_int().value_or(0);
    return given < 0 ? given + static_cast<int64_t>(rank) : given;
  };
  const auto [low, high] = std::minmax({dim("d0"), dim("d1")});
  return high + 1 == static_cast<int64_t>(rank) && low + 1 == high;
}

// [0, .., rank - 1, rank - 2]
bool swaps_last_two(ArgumentView order, size_t rank) {
  if (order.size() != rank) return false;
  for (size_t i = 0; i < rank; ++i) {
    const size_t expected = i + 2 < rank ? i : 2 * rank - 3 - i;
    const std::optional<int64_t> dim = order.child(i).as_int();
    if (!dim) return false;
    const int64_t wrapped = *dim < 0 ? *dim + static_cast<int64_t>(rank) : *dim;
    if (wrapped != static_cast<int64_t>(expected)) return false;
  }
  return true;
}

bool keys_are_transposed(const SubgraphMatch& match, size_t rank) {
  const ArgumentView order = match.value("order");
  return order ? swaps_last_two(order, rank) : is_last_two(match, rank);
}

bool same_batch(const Type& a, const Type& b) {
  if (a.rank() != b.rank() || a.rank() < 3 || a.dtype != b.dtype) return false;
  return std::equal(a.sizes.begin(), a.sizes.end() - 2, b.sizes.begin());
}

bool has_scale(const SubgraphMatch& match) {
  const ArgumentView scale = match.value("scale");
  if (!scale) return true;
  return scale.as_number() && *scale.as_number() > 0;
}

bool has_mask(const SubgraphMatch& match, const Type& q) {
  const Node masked = match.node("masked");
  if (!masked || !match.value("mask")) return true;
  const Type* mask = floating_tensor(match, "mask");
  return mask != nullptr && mask->dtype == q.dtype && mask->rank() >= 2 &&
         masked.type_id() == match.node("scaled").type_id();
}

// Dropout that drops nothing, and a cast to the dtype that is there.
bool keeps_weights(const SubgraphMatch& match, const Type& q) {
  const ArgumentView rate = match.value("rate");
  if (!rate) return true;
  const bool idle = rate.as_number() == 0 || match.value("train").as_int() == 0;
  const Node dropped = match.node("w");
  return idle && dropped.type().dtype == q.dtype;
}

bool is_attention(const SubgraphMatch& match) {
  const Type* q = floating_tensor(match, "q");
  const Type* k = match.tensor("k");
  const Type* v = match.tensor("v");
  if (q == nullptr || k == nullptr || v == nullptr) return false;
  if (!same_batch(*q, *k) || !same_batch(*k, *v)) return false;
  return names_last_dimension(match, "dim", q->rank()) && has_scale(match) && has_mask(match, *q) &&
         keys_are_transposed(match, q->rank()) && keeps_weights(match, *q);
}

std::vector<std::string> inputs_of(const Form& form) {
  std::vector<std::string> inputs{"q", "k", "v", "dim"};
  if (form.transpose.find("%order") == std::string::npos) {
    inputs.insert(inputs.end(), {"d0", "d1"});
  } else {
    inputs.push_back("order");
  }
  if (!form.scale.empty()) inputs.push_back("scale");
  if (form.masked) inputs.push_back("mask");
  for (const char* name : {"dtype", "cast", "rate", "train"}) {
    if ((form.softmax + form.after).find("%" + std::string(name)) == std::string::npos) continue;
    inputs.emplace_back(name);
  }
  return inputs;
}

// A part that is left out leaves its name to the part before.
std::string pattern_of(const Form& form) {
  const char* scores = form.scale.empty() ? (form.masked ? "scaled" : "masked") : "scores";
  std::string body = form.transpose + line(scores, form.product, "%q, %kt");
  if (!form.scale.empty()) {
    body += line(form.masked ? "scaled" : "masked", form.scale, "%scores, %scale");
  }
  if (form.masked) body += line("masked", "aten.add.Tensor", "%scaled, %mask");
  const char* weights = form.after.empty() ? "%p, %v" : "%w, %v";
  return body + form.softmax + form.after + line("out", form.product, weights);
}

TextRule rule_of(const Form& form) {
  const std::vector<std::string> inputs = inputs_of(form);
  std::vector<std::string> given = inputs;
  given.push_back("factor");
  const std::string mask = form.masked ? "%mask" : "None";
  const std::string to = line("attention", "aten.scaled_dot_product_attention.default",
                              "%q, %k, %v, " + mask + ", 0.0, False, scale=%factor");
  const bool divides = form.scale == "aten.div.Tensor";
  return {"attention", side(inputs, pattern_of(form)), side(given, to, "attention"), is_attention,
          [divides](const SubgraphMatch& match, std::string_view) {
            const ArgumentView scale = match.value("scale");
            const double number = scale ? *scale.as_number() : 1;
            return std::optional(match.graph().context().real(divides ? 1 / number : number));
          }};
}

const char* const kScales[] = {"aten.div.Tensor", "aten.mul.Tensor", ""};

void add_rules(std::vector<TextRule>& rules, Form form) {
  for (const std::string& softmax : {line("p", "aten.softmax.int", "%masked, %dim"),
                                     line("p", "aten.softmax.int", "%masked, %dim, %dtype"),
                                     line("p", "aten._softmax.default", "%masked, %dim, False")}) {
    for (const char* scale : kScales) {
      for (const bool masked : {true, false}) {
        form.softmax = softmax, form.scale = scale, form.masked = masked;
        rules.push_back(rule_of(form));
      }
    }
  }
}

TextRuleSet make() {
  TextRuleSet set{"attention",
                  "spelled attention as aten.scaled_dot_product_attention; rounds differently",
                  {}};
  const std::string dropout = line("w", "aten.dropout.default", "%p, %rate, %train");
  const std::string cast = line("p1", "aten.to.dtype", "%p, %cast") +
                           line("w", "aten.dropout.default", "%p1, %rate, %train");
  for (const std::string& transpose : {line("kt", "aten.transpose.int", "%k, %d0, %d1"),
                                       line("kt", "aten.permute.default", "%k, %order")}) {
    for (const std::string& after : {std::string(), dropout, cast}) {
      add_rules(set.rules, {.product = "aten.matmul.default",
                            .transpose = transpose,
                            .scale = {},
                            .softmax = {},
                            .after = after});
    }
    add_rules(set.rules, {.product = "aten.bmm.default",
                          .transpose = transpose,
                          .scale = {},
                          .softmax = {},
                          .after = {}});
  }
  return set;
}

}  // namespace

const TextRuleSet& attention_rules() {
  static const TextRuleSet set = make();
  return set;
}

Changed fuse_attention(Graph& graph) { return apply_fusion(graph, attention_rules()); }

NFX_TEXT_RULES(attention_rules);
NFX_PASS(fuse_attention, "replace spelled attention by the op, which rounds differently");

}  // namespace nfx
