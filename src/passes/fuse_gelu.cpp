#include "passes/fuse_gelu.h"

#include <cmath>
#include <numbers>

#include "passes/fuse_rules.h"
#include "passes/fusion_text.h"

namespace nfx {
namespace {

constexpr double kRootOfHalf = 1 / std::numbers::sqrt2;
constexpr double kRootOfTwoOverPi = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;

// One way to spell a part, with what its numbers have to be.
struct Spelling {
  std::string body;
  double number = 0;
};

// x * half * (1 + f), in any order; `f` is %f.
std::vector<Spelling> products() {
  const std::string sum = line("sum", "aten.add.Tensor", "%f, %one");
  std::vector<Spelling> all;
  for (const auto& [op, half] : {std::pair("aten.mul.Tensor", 0.5), {"aten.div.Tensor", 2.0}}) {
    all.push_back(
        {sum + line("h", op, "%x, %half") + line("out", "aten.mul.Tensor", "%h, %sum"), half});
    all.push_back(
        {sum + line("h", "aten.mul.Tensor", "%x, %sum") + line("out", op, "%h, %half"), half});
    all.push_back(
        {sum + line("h", op, "%sum, %half") + line("out", "aten.mul.Tensor", "%x, %h"), half});
  }
  return all;
}

void add_erf_forms(std::vector<TextRule>& rules) {
  const std::string to =
      side({"x", "half", "one", "root"}, line("gelu", "aten.gelu.default", "%x"), "gelu");
  for (const auto& [op, root] :
       {std::pair("aten.mul.Tensor", kRootOfHalf), {"aten.div.Tensor", std::numbers::sqrt2}}) {
    const std::string erf = line("s", op, "%x, %root") + line("f", "aten.erf.default", "%s");
    for (const Spelling& product : products()) {
      rules.push_back({"gelu", side({"x", "half", "one", "root"}, erf + product.body), to,
                       [half = product.number, root](const SubgraphMatch& match) {
                         return floating_tensor(match, "x") != nullptr &&
                                is_about(match, "half", half) && is_about(match, "one", 1) &&
                                is_about(match, "root", root);
                       }});
    }
  }
}

// The argument of tanh, k * (x + c * x^3), as %t.
std::vector<std::string> cubic_terms() {
  const auto mul = [](const char* name, const char* arguments) {
    return line(name, "aten.mul.Tensor", arguments);
  };
  const std::string sum =
      mul("cx", "%cube, %c") + line("p", "aten.add.Tensor", "%x, %cx") + mul("t", "%p, %k");
  const std::string product =
      line("p", "aten.add.Tensor", "%cx, %one") + mul("kx", "%x, %k") + mul("t", "%kx, %p");
  return {line("cube", "aten.pow.Tensor_Scalar", "%x, 3") + sum,
          line("cube", "aten.pow.Tensor_Scalar", "%x, 3.0") + sum,
          mul("square", "%x, %x") + mul("cube", "%square, %x") + sum,
          mul("cx0", "%x, %c") + mul("cx", "%cx0, %x") + product,
          mul("square", "%x, %x") + mul("cx", "%square, %c") + product,
          line("square", "aten.pow.Tensor_Scalar", "%x, 2") + mul("cx", "%square, %c") + product};
}

void add_tanh_forms(std::vector<TextRule>& rules) {
  const std::vector<std::string> inputs{"x", "half", "one", "c", "k"};
  const std::string to =
      side(inputs, line("gelu", "aten.gelu.default", "%x, approximate=\"tanh\""), "gelu");
  for (const std::string& term : cubic_terms()) {
    for (const Spelling& product : products()) {
      const std::string body = term + line("f", "aten.tanh.default", "%t") + product.body;
      rules.push_back({"gelu_tanh", side(inputs, body), to,
                       [half = product.number](const SubgraphMatch& match) {
                         return floating_tensor(match, "x") != nullptr &&
                                is_about(match, "half", half) && is_about(match, "one", 1) &&
                                is_about(match, "c", 0.044715) &&
                                is_about(match, "k", kRootOfTwoOverPi);
                       }});
    }
  }
}

TextRuleSet make() {
  TextRuleSet set{"gelu", "spelled GELU, erf and tanh, as aten.gelu; rounds differently", {}};
  add_erf_forms(set.rules);
  add_tanh_forms(set.rules);
  return set;
}

}  // namespace

const TextRuleSet& gelu_rules() {
  static const TextRuleSet set = make();
  return set;
}

Changed fuse_gelu(Graph& graph) { return apply_fusion(graph, gelu_rules()); }

NFX_TEXT_RULES(gelu_rules);
NFX_PASS(fuse_gelu, "replace spelled GELU by the op, which rounds differently");

}  // namespace nfx
